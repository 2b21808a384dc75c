// What Tab does: the rule of editors/protocol.md, "What Tab does". The key bindings and the hints follow it.

/** What is on screen at the cursor, as far as Tab is concerned. */
export interface Screen {
  /** The completion menu has a selected entry. */
  readonly menu: boolean;
  /** A snippet has fields left to fill in. */
  readonly snippet: boolean;
  /** Ghost text is drawn. */
  readonly ghost: boolean;
  /** The next edit: none is drawn, it is away from the cursor, or at the cursor. */
  readonly edit: 'none' | 'far' | 'here';
  /** The editor's own Tab would indent, and the user has not jumped to the next edit. */
  readonly indents: boolean;
}

/**
 * - `entry`: take the menu's entry.
 * - `field`: go to the snippet's next field.
 * - `accept`: accept the ghost text.
 * - `jump`: go to the next edit.
 * - `apply`: apply the next edit.
 * - `indent`: what the editor's own Tab does.
 */
export type TabAction = 'entry' | 'field' | 'accept' | 'jump' | 'apply' | 'indent';

/** What Tab does with this on screen. */
export function tabAction({ menu, snippet, ghost, edit, indents }: Screen): TabAction {
  if (menu) {
    return 'entry';
  }
  if (snippet) {
    return 'field';
  }
  if (ghost) {
    return 'accept';
  }
  if (edit === 'none' || indents) {
    return 'indent';
  }
  return edit === 'far' ? 'jump' : 'apply';
}
