// Renders inserted lines as an SVG image: a text decoration holds one line only.

/**
 * Colours of inserted text. The theme's diff colours are translucent, so that the text below would show through.
 */
export const INSERTED_COLOURS: Readonly<Record<'dark' | 'light', Colours>> = {
  dark: { text: '#a3d9a5', fill: '#1f331f', stroke: '#3c5a3c' },
  light: { text: '#1e6b34', fill: '#e3f6e6', stroke: '#a6d4b0' },
};

export interface Colours {
  readonly text: string;
  readonly fill: string;
  readonly stroke: string;
}

export interface SvgBlock {
  readonly lines: readonly string[];
  readonly tabSize: number;
  /** The editor's font, as in its settings. */
  readonly fontFamily: string;
  /** In pixels. */
  readonly fontSize: number;
  /** As `editor.lineHeight`: in pixels, below 8 a factor of the font size, 0 for the editor's default. */
  readonly lineHeight: number;
}

const PADDING_PX = 6;
/** A monospaced character's width as a share of the font size, rounded up so that no text is cut off. */
const CHARACTER_WIDTH = 0.62;

/** Renders lines as an SVG document. */
export function svgBlock({ lines, tabSize, fontFamily, fontSize, lineHeight }: SvgBlock, isDark: boolean): string {
  const height = lineHeightPixels(lineHeight, fontSize);
  const texts = dedent(lines.map((line) => line.replaceAll('\t', ' '.repeat(tabSize))));
  const columns = Math.max(...texts.map(columnCount));
  const width = Math.ceil(columns * fontSize * CHARACTER_WIDTH) + 2 * PADDING_PX;
  const total = height * texts.length + 2;
  const { text, fill, stroke } = isDark ? INSERTED_COLOURS.dark : INSERTED_COLOURS.light;
  const rows = texts
    .map((row, index) => {
      const y = index * height + height / 2 + fontSize * 0.35 + 1;
      return `<text x="${PADDING_PX}" y="${y.toFixed(1)}" xml:space="preserve">${escapeXml(row)}</text>`;
    })
    .join('');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}">` +
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${total - 1}" rx="3" fill="${fill}" stroke="${stroke}"/>` +
    `<g font-family="${escapeXml(fontFamily)}" font-size="${fontSize}" fill="${text}">${rows}</g></svg>`
  );
}

/** Interprets `editor.lineHeight` as VS Code does. */
function lineHeightPixels(lineHeight: number, fontSize: number): number {
  if (lineHeight === 0) {
    return Math.round(fontSize * (process.platform === 'darwin' ? 1.5 : 1.35));
  }
  return lineHeight < 8 ? Math.round(lineHeight * fontSize) : lineHeight;
}

/** Removes the indentation common to all lines. */
function dedent(lines: readonly string[]): string[] {
  const common = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  return lines.map((line) => (Number.isFinite(common) ? line.slice(common) : line));
}

function columnCount(line: string): number {
  return [...line].reduce((sum, character) => sum + (character.codePointAt(0)! > 0x10ff ? 2 : 1), 0);
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
