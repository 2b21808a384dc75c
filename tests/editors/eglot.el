;;; eglot.el --- Eglot: a rewrite by comment, with the configuration of editors/emacs.md  -*- lexical-binding: t -*-
;;
;;   TANDEM=target/release/tandem emacs -Q --batch -l eglot.el

(require 'eglot)

(defvar here (file-name-directory (or load-file-name buffer-file-name)))
(defvar passed 0)
(defvar failed 0)

(defun check (name ok)
  (if ok (cl-incf passed) (cl-incf failed))
  (princ (format "%s  %s\n" (if ok "ok  " "FAIL") name)))

(defun eventually (test)
  (let ((end (+ 10 (float-time))))
    (while (and (not (funcall test)) (< (float-time) end))
      (accept-process-output nil 0.05))
    (funcall test)))

;; The page's own configuration; only the program is not on PATH here.
(with-temp-buffer
  (insert-file-contents (expand-file-name "../../editors/emacs.md" here))
  (search-forward "```elisp\n")
  (let ((start (point)))
    (search-forward "```")
    (narrow-to-region start (match-beginning 0))
    (goto-char start)
    (search-forward "\"tandem\"")
    (replace-match (prin1-to-string (getenv "TANDEM")) t t)
    (eval-buffer)))

(setq eglot-sync-connect 10 eglot-confirm-server-edits nil make-backup-files nil)
(let ((file (expand-file-name "area.py" (make-temp-file "tandem" t))))
  (with-temp-file file
    (insert "# ai: rename width to breadth\ndef area(width):\n    return width * width\n"))
  (find-file file)
  (apply #'eglot (eglot--guess-contact))
  (check "it is connected" (eglot-managed-p))
  (let ((action (car (eglot-code-actions (point) (1+ (point))))))
    (check "the rewrite is listed" (equal (plist-get action :title) "Tandem: rename width to breadth"))
    (when action
      (eglot-execute (eglot-current-server) action)))
  (check "the text is rewritten, and the comment is gone"
         (eventually (lambda () (equal (buffer-string) "def area(breadth):\n    return breadth * breadth\n"))))
  (undo-boundary)
  (undo)
  (check "one undo takes both back" (string-prefix-p "# ai: rename width to breadth\ndef area(width)" (buffer-string)))
  (set-buffer-modified-p nil)
  (eglot-shutdown (eglot-current-server)))
(princ (format "%d passed, %d failed\n" passed failed))
(kill-emacs (if (zerop failed) 0 1))
