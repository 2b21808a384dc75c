;;; emacs.el --- What the tests in Emacs share  -*- lexical-binding: t -*-

(require 'cl-lib)

;; Its compiler would be started for each primitive that a library wraps, and may not be there.
(setq native-comp-enable-subr-trampolines nil
      native-comp-jit-compilation nil)
(setq make-backup-files nil)

(defvar here (file-name-directory (or load-file-name buffer-file-name)))
(defvar passed 0)
(defvar failed 0)

(defun check (name ok)
  (if ok (cl-incf passed) (cl-incf failed))
  (princ (format "%s  %s\n" (if ok "ok  " "FAIL") name)))

(defun eventually (test)
  (let ((end (+ 15 (float-time))))
    (while (and (not (funcall test)) (< (float-time) end))
      (accept-process-output nil 0.05))
    (funcall test)))

(defun configure (heading)
  "Evaluate the first block below HEADING of editors/emacs.md; only the program is not on PATH here."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "../../editors/emacs.md" here))
    (search-forward (concat "## " heading "\n"))
    (search-forward "```elisp\n")
    (let ((start (point)))
      (search-forward "```")
      (narrow-to-region start (match-beginning 0))
      (goto-char start)
      (search-forward "\"tandem\"")
      (replace-match (prin1-to-string (getenv "TANDEM")) t t)
      (eval-buffer))))

(defun open (name text)
  "Visit a new file with TEXT, in a project of its own."
  (let ((project (make-temp-file "tandem" t)))
    (make-directory (expand-file-name ".git" project))
    (let ((file (expand-file-name name project)))
      (with-temp-file file (insert text))
      (find-file file)
      project)))

;; Next edits, with editors/emacs/tandem.el.

(load (expand-file-name "../../editors/emacs/tandem.el" here) nil t)

(defun press (key)
  "Run the command that KEY has in this buffer."
  (call-interactively (key-binding (kbd key))))

(defun drawn ()
  "The next edit on screen: its line, the text that it removes, and the text that it inserts."
  (when-let* ((edit (tandem--here))
              (overlay (tandem--edit-overlay edit)))
    (with-current-buffer (overlay-buffer overlay)
      (list (line-number-at-pos (overlay-start overlay))
            (buffer-substring-no-properties (overlay-start overlay) (overlay-end overlay))
            (substring-no-properties (overlay-get overlay 'after-string))))))

(defun check-next-edits ()
  "Rename a parameter in this buffer, which has the text `area' below; the server is connected."
  (set-window-buffer nil (current-buffer))
  (tandem-next-edit-mode)
  (check "Tab is Emacs's own without a next edit" (not (eq (key-binding (kbd "TAB")) #'tandem-next-edit)))
  (goto-char (point-min))
  (search-forward "width")
  (replace-match "breadth")
  (check "a rename draws the next use" (eventually (lambda () (equal (drawn) '(3 "width" "breadth")))))
  (press "TAB")
  (check "Tab goes to it" (and (= (line-number-at-pos) 3) (looking-at-p "width")))
  (press "TAB")
  (check "Tab applies it" (string-suffix-p "total = breadth * 2\n    return total + width\n" (buffer-string)))
  (check "the next one is drawn" (eventually (lambda () (equal (drawn) '(4 "width" "breadth")))))
  (undo-boundary)
  (undo)
  (check "one undo takes the edit back" (string-suffix-p "total = width * 2\n    return total + width\n" (buffer-string)))
  (check "what was drawn before the undo is gone" (not (equal (car (drawn)) 4)))
  (tandem-next-edit)
  (check "it is offered again when invoked" (eventually (lambda () (equal (drawn) '(3 "width" "breadth")))))
  (press "C-g")
  (check "C-g dismisses it" (null (drawn)))
  (check "Tab is Emacs's own again" (not (eq (key-binding (kbd "TAB")) #'tandem-next-edit)))
  (set-buffer-modified-p nil))

(defconst renamed "def area(width):\n    # how wide it is\n    total = width * 2\n    return total + width\n")

(defun finish ()
  (princ (format "%d passed, %d failed\n" passed failed))
  (kill-emacs (if (zerop failed) 0 1)))
