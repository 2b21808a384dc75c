;;; tandem.el --- Next edits of the Tandem language server  -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "30.1"))
;; Keywords: tools, languages
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `tandem-next-edit-mode' draws the edit that follows from recent ones, such as the next use of a renamed name.  TAB
;; goes to the edit and then applies it, `C-g' dismisses it.  The server is reached through Eglot or lsp-mode, whichever
;; manages the buffer.  Neither knows next edits, so the request is `tandem/nextEdit', described in
;; editors/protocol.md.

;;; Code:

(require 'cl-lib)
(require 'diff-mode)

(defgroup tandem nil
  "Next edits of the Tandem language server."
  :group 'tools)

(defcustom tandem-next-edit-delay 0.1
  "Seconds between a change and the request for the next edit.
The server adds a pause of its own, as long as the next key is due."
  :type 'number)

(defface tandem-next-edit-removed
  '((t :inherit diff-removed))
  "Face of text that the next edit removes.")

(defface tandem-next-edit-added
  '((t :inherit diff-added))
  "Face of text that the next edit inserts.")

(cl-defstruct (tandem--edit (:constructor tandem--edit-make))
  "A next edit: its ID, new TEXT and RANGE as sent by the server.
BUFFER has the range, and is nil while its file is not open; FILE
is nil if BUFFER is ORIGIN, from which the edit was requested.
TICK is the state of BUFFER's text, OVERLAY draws the edit."
  id text range buffer file origin tick overlay)

(defvar tandem--edit nil
  "The next edit on screen, or nil.")

(defvar tandem--timer nil
  "Sends the next request.")

(defvar tandem--generation 0
  "Counts requests.  An answer to an older one is ignored.")

;;; The server

(declare-function eglot-current-server "eglot")
(declare-function eglot-range-region "eglot")
(declare-function eglot-uri-to-path "eglot")
(declare-function eglot--TextDocumentPositionParams "eglot")
(declare-function eglot--signal-textDocument/didChange "eglot")
(declare-function jsonrpc-async-request "jsonrpc")
(declare-function jsonrpc-notify "jsonrpc")
(declare-function lsp-find-workspace "lsp-mode")
(declare-function lsp-notify "lsp-mode")
(declare-function lsp-request-async "lsp-mode")
(declare-function lsp--range-to-region "lsp-mode")
(declare-function lsp--text-document-position-params "lsp-mode")
(declare-function lsp--uri-to-path "lsp-mode")
(declare-function eieio-oref "eieio-core")
(defvar lsp--buffer-workspaces)
(defvar tandem-next-edit-mode)
(defvar lsp--cur-workspace)

(defun tandem--eglot ()
  "Eglot's server of this buffer, if it is Tandem."
  (when-let* (((bound-and-true-p eglot--managed-mode))
              (server (eglot-current-server))
              (info (eieio-oref server 'server-info))
              ((equal (plist-get info :name) "tandem")))
    server))

(defun tandem--lsp ()
  "The workspace of lsp-mode for this buffer that Tandem serves."
  (and (bound-and-true-p lsp-managed-mode)
       buffer-file-name
       (lsp-find-workspace 'tandem buffer-file-name)))

(defun tandem--get (object key)
  "The value of KEY in OBJECT.
Eglot decodes objects to plists, lsp-mode to hash tables or plists."
  (if (hash-table-p object)
      (gethash (substring (symbol-name key) 1) object)
    (plist-get object key)))

(defun tandem--position ()
  "The document and the position of the cursor, as parameters of a request."
  (if (tandem--eglot) (eglot--TextDocumentPositionParams) (lsp--text-document-position-params)))

(defun tandem--request (method params answered)
  "Send a request for METHOD with PARAMS, and call ANSWERED with its result."
  (if-let* ((server (tandem--eglot)))
      (progn
        (eglot--signal-textDocument/didChange)
        (jsonrpc-async-request server method params
                               :success-fn answered :error-fn #'ignore :timeout-fn #'ignore))
    (when-let* ((lsp--cur-workspace (tandem--lsp)))
      (let ((lsp--buffer-workspaces (list lsp--cur-workspace)))
        (lsp-request-async (substring (symbol-name method) 1) params answered
                           :error-handler #'ignore :mode 'detached)))))

(defun tandem--notify (method params)
  "Send a notification of METHOD with PARAMS."
  (if-let* ((server (tandem--eglot)))
      (jsonrpc-notify server method params)
    (when-let* ((lsp--cur-workspace (tandem--lsp)))
      (let ((lsp--buffer-workspaces (list lsp--cur-workspace)))
        (lsp-notify (substring (symbol-name method) 1) params)))))

(defun tandem--report (command edit)
  "Report with COMMAND what became of EDIT."
  (with-current-buffer (tandem--edit-origin edit)
    (tandem--request :workspace/executeCommand
                     (list :command command :arguments (vector (tandem--edit-id edit)))
                     #'ignore)))

(defun tandem--region (range)
  "The start and end of RANGE in this buffer, as a pair."
  (if (tandem--eglot) (eglot-range-region range) (lsp--range-to-region range)))

(defun tandem--path (uri)
  "The file that URI names."
  (if (tandem--eglot) (eglot-uri-to-path uri) (lsp--uri-to-path uri)))

;;; The edit on screen

(defun tandem--clear ()
  "Remove the next edit from the screen."
  (when tandem--edit
    (when-let* ((overlay (tandem--edit-overlay tandem--edit)))
      (delete-overlay overlay))
    (setq tandem--edit nil)))

(defun tandem--here ()
  "The next edit, if its text is unchanged and it is about this buffer.
That is the buffer it was requested from or the one that it changes."
  (and tandem--edit
       (memq (current-buffer) (list (tandem--edit-origin tandem--edit) (tandem--edit-buffer tandem--edit)))
       (let ((buffer (tandem--edit-buffer tandem--edit)))
         (or (null buffer)
             (and (buffer-live-p buffer)
                  (eql (tandem--edit-tick tandem--edit) (buffer-chars-modified-tick buffer)))))
       tandem--edit))

(defun tandem--draw (edit)
  "Draw EDIT in the current buffer, which is its own."
  (pcase-let* ((`(,start . ,end) (tandem--region (tandem--edit-range edit)))
               (old (buffer-substring-no-properties start end))
               (new (tandem--edit-text edit))
               ;; Only what differs is drawn.
               (same (length (fill-common-string-prefix old new)))
               (overlay (make-overlay (+ start same) end nil nil t)))
    (overlay-put overlay 'face 'tandem-next-edit-removed)
    (overlay-put overlay 'after-string (propertize (substring new same) 'face 'tandem-next-edit-added))
    (overlay-put overlay 'priority 100)
    (setf (tandem--edit-buffer edit) (current-buffer)
          (tandem--edit-tick edit) (buffer-chars-modified-tick)
          (tandem--edit-overlay edit) overlay)))

(defun tandem--is-at-point (edit)
  "Whether the cursor is in a line that EDIT changes."
  (and (eq (current-buffer) (tandem--edit-buffer edit))
       (let ((region (tandem--region (tandem--edit-range edit))))
         (<= (save-excursion (goto-char (car region)) (pos-bol))
             (point)
             (save-excursion (goto-char (cdr region)) (pos-eol))))))

(defun tandem--hint (edit)
  "Say where EDIT is, unless the cursor is there."
  (let ((line (1+ (tandem--get (tandem--get (tandem--edit-range edit) :start) :line)))
        (file (tandem--edit-file edit)))
    (cond (file (message "Next edit in %s, line %d" (abbreviate-file-name file) line))
          ((not (tandem--is-at-point edit)) (message "Next edit in line %d" line)))))

(defun tandem--show (answer origin tick)
  "Show the first edit of ANSWER.
It was requested from ORIGIN when its text was that of TICK."
  (when-let* (((buffer-live-p origin))
              ((eq origin (window-buffer)))
              ((eql tick (buffer-chars-modified-tick origin)))
              (edits (tandem--get answer :edits))
              ((> (length edits) 0))
              (sent (elt edits 0)))
    (with-current-buffer origin
      (tandem--clear)
      (let* ((file (tandem--path (tandem--get (tandem--get sent :textDocument) :uri)))
             (buffer (if (file-equal-p file buffer-file-name) origin (find-buffer-visiting file)))
             (edit (tandem--edit-make :id (tandem--get sent :id)
                                      :text (tandem--get sent :text)
                                      :range (tandem--get sent :range)
                                      :file (unless (eq buffer origin) file)
                                      :origin origin)))
        (when buffer
          (with-current-buffer buffer (tandem--draw edit)))
        (setq tandem--edit edit)
        (tandem--notify :tandem/didShow (list :item (tandem--edit-id edit)))
        (tandem--hint edit)))))

(defun tandem--request-edit (kind)
  "Request the next edit; KIND is 1 if the user asked and 2 otherwise."
  (when (timerp tandem--timer)
    (cancel-timer tandem--timer))
  (let ((origin (current-buffer))
        (tick (buffer-chars-modified-tick))
        (generation (cl-incf tandem--generation)))
    (tandem--request :tandem/nextEdit
                     (append (tandem--position) (list :context (list :triggerKind kind)))
                     (lambda (answer)
                       (when (eql generation tandem--generation)
                         (tandem--show answer origin tick)
                         (when (and (eql kind 1) (null tandem--edit))
                           (message "No next edit")))))))

;;; Keys

(defun tandem-next-edit ()
  "Go to the next edit, or apply it if the cursor is there.
Without one, request it."
  (interactive)
  (let ((edit (tandem--here)))
    (cond ((null edit) (tandem--clear) (tandem--request-edit 1))
          ((tandem--is-at-point edit) (tandem--apply edit))
          (t (tandem--go-to edit)))))

(defun tandem--go-to (edit)
  "Move the cursor to EDIT, in its own file."
  (push-mark nil t)
  (when-let* ((file (tandem--edit-file edit)))
    (pop-to-buffer-same-window (find-file-noselect file))
    (unless (tandem--edit-overlay edit)
      (tandem--draw edit))
    (setf (tandem--edit-file edit) nil))
  (goto-char (car (tandem--region (tandem--edit-range edit)))))

(defun tandem--apply (edit)
  "Apply EDIT as one step of undo, and request the edit after it."
  (pcase-let ((`(,start . ,end) (tandem--region (tandem--edit-range edit))))
    (tandem--clear)
    (undo-boundary)
    (goto-char start)
    (delete-region start end)
    (insert (tandem--edit-text edit))
    (when (and (bolp) (string-suffix-p "\n" (tandem--edit-text edit)))
      (backward-char))
    (undo-boundary)
    (tandem--report "tandem.accept" edit)
    (tandem--request-edit 2)))

(defun tandem-next-edit-dismiss ()
  "Dismiss the next edit, which the server then does not offer again."
  (interactive)
  (when-let* ((edit tandem--edit))
    (tandem--clear)
    (tandem--report "tandem.reject" edit)))

(defun tandem--if-shown (command)
  "COMMAND as a binding that is active only while a next edit is shown."
  `(menu-item "" ,command :filter ,(lambda (command) (and (tandem--here) command))))

(defvar tandem-next-edit-mode-map
  (let ((map (make-sparse-keymap)))
    (keymap-set map "TAB" (tandem--if-shown #'tandem-next-edit))
    (keymap-set map "C-g" (tandem--if-shown #'tandem-next-edit-dismiss))
    map)
  "Keys of `tandem-next-edit-mode', active only while a next edit is shown.")

;;; The mode

(defun tandem--after-change (&rest _)
  "Request the next edit a moment after the last change."
  (when (or (null tandem--edit) (memq (current-buffer) (list (tandem--edit-origin tandem--edit)
                                                             (tandem--edit-buffer tandem--edit))))
    (tandem--clear))
  (cl-incf tandem--generation)
  (when (timerp tandem--timer)
    (cancel-timer tandem--timer))
  (let ((buffer (current-buffer)))
    (setq tandem--timer
          (run-with-timer tandem-next-edit-delay nil
                          (lambda ()
                            (when (buffer-live-p buffer)
                              (with-current-buffer buffer
                                (when (and tandem-next-edit-mode (or (tandem--eglot) (tandem--lsp)))
                                  (tandem--request-edit 2)))))))))

;;;###autoload
(define-minor-mode tandem-next-edit-mode
  "Draw the edit that follows from recent ones; TAB goes to it and applies it."
  :lighter nil
  (if tandem-next-edit-mode
      (add-hook 'after-change-functions #'tandem--after-change nil t)
    (remove-hook 'after-change-functions #'tandem--after-change t)
    (tandem--clear)))

(provide 'tandem)
;;; tandem.el ends here
