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

(defun finish ()
  (princ (format "%d passed, %d failed\n" passed failed))
  (kill-emacs (if (zerop failed) 0 1)))
