// Where on a narrow screen a notice hides nothing that can be pressed. At a desk it stands in the top bar, beside its buttons; a telephone has no such place, so
// it is looked for from the bottom up, where the thumb of who has just pressed something is not needed next.

export type Span = { top: number; bottom: number }

const edge = 8
const step = 8

/** How far above the bottom of the screen: where it stands already if that is clear, else the first place that is, else the one that hides the least. */
export function clearPlace(height: number, screen: number, controls: readonly Span[], stands = edge): number {
  const hidden = (lift: number) => controls.filter(({ top, bottom }) => top < screen - lift && bottom > screen - lift - height).length
  const places = [stands, ...Array.from({ length: Math.max(1, Math.floor((screen - height - edge) / step)) }, (_, at) => edge + at * step)]
  const fewest = Math.min(...places.map(hidden))
  return places.find((lift) => hidden(lift) === fewest) ?? edge
}

/** What can be pressed now, but for what lies in the notices themselves. */
export const pressable = (notices: Element): Span[] =>
  [...document.querySelectorAll('a[href], button, input, select, textarea, [role="button"]')]
    .filter((one) => !notices.contains(one) && one.checkVisibility?.() !== false)
    .map((one) => one.getBoundingClientRect())
    .filter(({ width, height, bottom, top }) => width > 0 && height > 0 && bottom > 0 && top < innerHeight)
