;;; lsp-mode.el --- lsp-mode: ghost text, a rewrite by comment and next edits, as in editors/emacs.md  -*- lexical-binding: t -*-
;;
;;   TANDEM=target/release/tandem emacs -Q --batch -l emacs.el -l lsp-mode.el

;; Where Debian puts its packages, beside the program.
(let ((packages (expand-file-name "../share/emacs/site-lisp/elpa-src" invocation-directory)))
  (dolist (folder (file-expand-wildcards (concat packages "/*")))
    (add-to-list 'load-path folder)))
(unless (locate-library "lsp-mode")
  (package-initialize))
(unless (locate-library "lsp-inline-completion")
  (princ "there is no lsp-mode 10 or newer\n")
  (kill-emacs 77))
(load "lsp-mode-autoloads" nil t)

(configure "lsp-mode")
(setq lsp-auto-guess-root t
      lsp-session-file (expand-file-name "session" (getenv "HOME"))
      lsp-enable-snippet nil)

(defun shown ()
  "The ghost text on screen."
  (and (lsp-inline-completion--active-p)
       (substring-no-properties (overlay-get lsp-inline-completion--overlay 'after-string))))

(defconst area "# ai: rename width to breadth\ndef area(width):\n    return width * width\n")

(open "area.py" (concat area "\n\ndef new(self, width, height):\n    self.width = width\n    \n"))
(lsp-workspace-folders-add (file-name-directory buffer-file-name))
(lsp)
(check "it is connected"
       (eventually (lambda ()
                     (and lsp--buffer-workspaces
                          (eq 'initialized (lsp--workspace-status (car lsp--buffer-workspaces)))))))
(check "it asks for ghost text by itself" (memq #'lsp-inline-completion--after-change lsp-on-change-hook))

(goto-char (1- (point-max)))
(insert "self.height = ")
;; Emacs is never idle in a batch, so what the pause in the typing would do is done here.
(lsp-inline-completion-display 'implicit)
(check "ghost text is shown" (equal (shown) "height"))
(lsp-inline-completion-accept)
(check "it is accepted" (string-suffix-p "    self.height = height\n" (buffer-string)))
(check "the cursor is behind it" (looking-at-p "\n\\'"))

(goto-char (point-min))
(search-forward "width * width\n")
(check "where there is nothing to say, no error is shown"
       (let ((messages nil))
         (cl-letf (((symbol-function 'lsp--error) (lambda (&rest args) (push args messages))))
           (lsp-inline-completion-display 'implicit))
         (and (null (shown)) (null messages))))

(goto-char (point-min))
(let ((actions (lsp-code-actions-at-point)))
  (check "the rewrite is listed" (equal (mapcar #'lsp:code-action-title actions) '("Tandem: rename width to breadth")))
  (when actions
    (lsp-execute-code-action (car actions))))
(check "the text is rewritten, and the comment is gone"
       (eventually (lambda () (string-prefix-p "def area(breadth):\n    return breadth * breadth\n\n" (buffer-string)))))
(undo-boundary)
(undo)
(check "one undo takes both back" (string-prefix-p area (buffer-string)))
(set-buffer-modified-p nil)

;; The fixes on save, of what another server reports.
(lsp-register-client
 (make-lsp-client :new-connection (lsp-stdio-connection (list "python3" (expand-file-name "compiler.py" here)))
                  :activation-fn (lambda (file &rest _) (string-suffix-p "/wrong.py" file))
                  :server-id 'compiler
                  :priority 1))
(setq-default lsp-fix-all-on-save t
              lsp-format-buffer-on-save t)

(defconst wrong "def area(width):\n    total = width\n    return totl\n")

(open "wrong.py" wrong)
(lsp-workspace-folders-add (file-name-directory buffer-file-name))
(lsp)
(check "both servers are connected"
       (eventually (lambda ()
                     (and (= 2 (length lsp--buffer-workspaces))
                          (cl-every (lambda (it) (eq 'initialized (lsp--workspace-status it)))
                                    lsp--buffer-workspaces)))))
(check "the problem is reported" (eventually (lambda () (lsp--get-buffer-diagnostics))))
(goto-char (point-max))
(insert "\n")
(check "the problem is still reported" (eventually (lambda () (lsp--get-buffer-diagnostics))))
(save-buffer)
(let ((file buffer-file-name))
  (check "a save with lsp-fix-all-on-save writes the fix, and the formatter comes after it"
         (equal (with-temp-buffer (insert-file-contents file) (buffer-string))
                "def area(width):\n    total = width\n    return total  # total\n\n")))

(open "renamed.py" renamed)
(lsp-workspace-folders-add (file-name-directory buffer-file-name))
(lsp)
(check "the renamed file is connected" (eventually #'tandem--lsp))
(check-next-edits)
(finish)
