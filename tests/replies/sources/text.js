"use strict";

const WIDTH = 80;
const BULLET = "•";

/**
 * Breaks a text into lines.
 *
 * ```js
 * wrap("one two", 3); // ["one", "two"]
 * ```
 */
function wrap(text, width = WIDTH) {
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line && line.length + word.length + 1 > width) {
      lines.push(line);
      line = word;
    } else {
      line = line ? `${line} ${word}` : word;
    }
  }
  lines.push(line);
  return lines;
}

function bullets(items) {
  const lines = [];
  for (const item of items) {
    const [first, ...rest] = wrap(item, WIDTH - 2);
    lines.push(`${BULLET} ${first}`);
    for (const line of rest) {
      lines.push(`  ${line}`);
    }
  }
  return lines.join("\n");
}

function numbered(items) {
  const lines = [];
  let number = 1;
  for (const item of items) {
    const [first, ...rest] = wrap(item, WIDTH - 4);
    lines.push(`${number}. ${first}`);
    for (const line of rest) {
      lines.push(`   ${line}`);
    }
    number += 1;
  }
  return lines.join("\n");
}

function escape(text) {
  let result = text.replaceAll("&", "&amp;");
  result = result.replaceAll("<", "&lt;");
  result = result.replaceAll(">", "&gt;");
  return result;
}

module.exports = { wrap, bullets, numbered, escape };
