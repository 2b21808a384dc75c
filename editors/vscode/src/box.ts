// A picture of lines that would come, for decorations cannot hold more than one line of text.

/**
 * How text that would come is drawn. Not the theme's colours for diffs: those shine through, and what is below is what
 * would go.
 */
export const COMING: Readonly<Record<'dark' | 'light', Colours>> = {
  dark: { text: '#a3d9a5', fill: '#1f331f', stroke: '#3c5a3c' },
  light: { text: '#1e6b34', fill: '#e3f6e6', stroke: '#a6d4b0' },
};

export interface Colours {
  readonly text: string;
  readonly fill: string;
  readonly stroke: string;
}

export interface Box {
  readonly lines: readonly string[];
  readonly tabSize: number;
  /** The editor's font, as in its settings. */
  readonly fontFamily: string;
  /** In pixels. */
  readonly fontSize: number;
  /** In pixels, or a factor if it is below 8, or 0 for what the editor takes by itself. */
  readonly lineHeight: number;
}

const PADDING = 6;
/** A monospaced letter's width in parts of its height, rounded up: too wide a box is better than cut text. */
const LETTER = 0.62;

export function box({ lines, tabSize, fontFamily, fontSize, lineHeight }: Box, isDark: boolean): string {
  const height = heightOf(lineHeight, fontSize);
  const texts = outdented(lines.map((line) => line.replaceAll('\t', ' '.repeat(tabSize))));
  const columns = Math.max(...texts.map(columnsOf));
  const width = Math.ceil(columns * fontSize * LETTER) + 2 * PADDING;
  const total = height * texts.length + 2;
  const { text, fill, stroke } = isDark ? COMING.dark : COMING.light;
  const rows = texts
    .map((row, index) => {
      const y = index * height + height / 2 + fontSize * 0.35 + 1;
      return `<text x="${PADDING}" y="${y.toFixed(1)}" xml:space="preserve">${escapeXml(row)}</text>`;
    })
    .join('');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}">` +
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${total - 1}" rx="3" fill="${fill}" stroke="${stroke}"/>` +
    `<g font-family="${escapeXml(fontFamily)}" font-size="${fontSize}" fill="${text}">${rows}</g></svg>`
  );
}

/** As VS Code's `editor.lineHeight` is read. */
function heightOf(lineHeight: number, fontSize: number): number {
  if (lineHeight === 0) {
    return Math.round(fontSize * (process.platform === 'darwin' ? 1.5 : 1.35));
  }
  return lineHeight < 8 ? Math.round(lineHeight * fontSize) : lineHeight;
}

/** Lines without the indentation that all of them have. */
function outdented(lines: readonly string[]): string[] {
  const common = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  return lines.map((line) => (Number.isFinite(common) ? line.slice(common) : line));
}

function columnsOf(line: string): number {
  return [...line].reduce((sum, character) => sum + (character.codePointAt(0)! > 0x10ff ? 2 : 1), 0);
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
