// What is left to do in other files, with what is on screen of it. A plain function.

import type { Left, NextEdit } from './protocol';

/** What is left together with the place of an edit that is shown, which the server leaves out of it. */
export function withShown(left: Left | undefined, shown: NextEdit | undefined): Left | undefined {
  if (!shown) {
    return left;
  }
  const places = [...(left?.places ?? []), { uri: shown.textDocument.uri, range: shown.range }];
  places.sort((a, b) => (a.uri === b.uri ? a.range.start.line - b.range.start.line : a.uri < b.uri ? -1 : 1));
  return { ...left, places };
}
