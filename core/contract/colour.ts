// A tenancy may choose any colour, and nobody may be left unable to read because of it: the hue stays, the lightness moves until the
// contrast holds on the worst surface. Lightness is OKLab's, so that yellow and blue move alike to the eye.

type Rgb = readonly [number, number, number]
type Lch = { lightness: number; chroma: number; hue: number }

export const surfaces = {
  light: ['#ffffff', '#f6f7f9', '#eceff3'],
  dark: ['#14171c', '#1c2027', '#272c36'],
} as const

/** WCAG 2.2: text needs 4.5, a line or an icon 3. */
export const textContrast = 4.5
export const graphicContrast = 3

export function parseColour(text: string): Rgb | undefined {
  const [, short, long] = /^#?(?:([0-9a-f]{3})|([0-9a-f]{6}))$/i.exec(text.trim()) ?? []
  const digits = long ?? short?.replace(/./g, '$&$&')
  if (digits === undefined) return undefined
  const at = (from: number) => Number.parseInt(digits.slice(from, from + 2), 16) / 255
  return [at(0), at(2), at(4)]
}

const hex = (rgb: Rgb): string =>
  `#${rgb
    .map((part) =>
      Math.round(Math.min(1, Math.max(0, part)) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`

const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
const gamma = (part: number) => (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055)

const luminance = ([r, g, b]: Rgb): number => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)

/** The WCAG contrast of two colours, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [a, b] = [parseColour(one), parseColour(other)]
  if (a === undefined || b === undefined) throw new TypeError(`Not a colour: ${a === undefined ? one : other}`)
  const [light, dark] = [luminance(a), luminance(b)].toSorted((x, y) => y - x)
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)
}

/** The colour nearest to `text` that keeps its hue and has `ratio` against every surface; undefined where `text` is no colour. */
export function readableColour(text: string, on: readonly string[], ratio: number): string | undefined {
  const rgb = parseColour(text)
  if (rgb === undefined) return undefined
  const holds = (candidate: string) => on.every((surface) => contrast(candidate, surface) >= ratio)
  if (holds(hex(rgb))) return hex(rgb)
  const { lightness, chroma, hue } = toLch(rgb)
  const step = 0.01
  for (let distance = step; distance <= 1; distance += step)
    for (const moved of [lightness - distance, lightness + distance]) {
      if (moved < 0 || moved > 1) continue
      const candidate = hex(fitted({ lightness: moved, chroma, hue }))
      if (holds(candidate)) return candidate
    }
  return undefined
}

export type TenantColours = { line: string; text: string; fill: string; onFill: string }

/** A tenancy's colour for one theme: a line that can be seen, a text that can be read, a fill and what is written on it. */
export function tenantColours(colour: string | undefined, theme: keyof typeof surfaces): TenantColours | undefined {
  if (colour === undefined || parseColour(colour) === undefined) return undefined
  const line = readableColour(colour, surfaces[theme], graphicContrast)
  const text = readableColour(colour, surfaces[theme], textContrast)
  if (line === undefined || text === undefined) return undefined
  const onFill = contrast(line, '#ffffff') >= textContrast ? '#ffffff' : contrast(line, '#0b0d10') >= textContrast ? '#0b0d10' : undefined
  return onFill === undefined
    ? { line, text, fill: text, onFill: theme === 'light' ? '#ffffff' : '#0b0d10' }
    : { line, text, fill: line, onFill }
}

// OKLab, https://bottosson.github.io/posts/oklab/
function toLch(rgb: Rgb): Lch {
  const [r, g, b] = [linear(rgb[0]), linear(rgb[1]), linear(rgb[2])]
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const bb = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return { lightness: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, chroma: Math.hypot(a, bb), hue: Math.atan2(bb, a) }
}

function toRgb({ lightness, chroma, hue }: Lch): Rgb {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    gamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    gamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    gamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ]
}

/** Less chroma until the screen can show it: the hue must not turn by clipping. */
function fitted(lch: Lch): Rgb {
  const shows = (rgb: Rgb) => rgb.every((part) => part >= -0.0005 && part <= 1.0005)
  for (let share = 1; share > 0; share -= 0.05) {
    const rgb = toRgb({ ...lch, chroma: lch.chroma * share })
    if (shows(rgb)) return rgb
  }
  return toRgb({ ...lch, chroma: 0 })
}
