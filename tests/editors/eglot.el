;;; eglot.el --- Eglot: a rewrite by comment and next edits, as in editors/emacs.md  -*- lexical-binding: t -*-
;;
;;   TANDEM=target/release/tandem emacs -Q --batch -l emacs.el -l eglot.el

(require 'eglot)

(configure "Eglot")
(setq eglot-sync-connect 15 eglot-confirm-server-edits nil)

(open "area.py" "# ai: rename width to breadth\ndef area(width):\n    return width * width\n")
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

(with-temp-file "renamed.py" (insert renamed))
(find-file "renamed.py")
(check "the second file is managed" (eventually #'eglot-managed-p))
(check-next-edits)
(eglot-shutdown (eglot-current-server))
(finish)
