// Where a notice hides nothing that can be pressed. At a desk there is room for it in the top bar; where what it says is longer, and on a narrow screen, which has
// no such room, a place is looked for: at a desk from the top down, on a telephone from the bottom up, where the thumb of who has just pressed something is not
// needed next.

/** How far it begins and ends from the edge at which the search begins. */
export type Span = { from: number; to: number }

export const edges = { top: 4, bottom: 8 } as const
export type Edge = keyof typeof edges
const step = 8

/** How far from the edge: where it stands already if that is clear, else the first place that is, else the one that hides the least. */
export function clearPlace(height: number, screen: number, controls: readonly Span[], edge: number, stands = edge): number {
  const hidden = (place: number) => controls.filter(({ from, to }) => from < place + height && to > place).length
  const places = [stands, ...Array.from({ length: Math.max(1, Math.floor((screen - height - edge) / step)) }, (_, at) => edge + at * step)]
  const fewest = Math.min(...places.map(hidden))
  return places.find((place) => hidden(place) === fewest) ?? edge
}

/** What can be pressed now above or below the notices, but for what lies in them, and for what the page has moved below its top bar. */
export function pressable(notices: Element, edge: Edge): Span[] {
  const box = notices.getBoundingClientRect()
  const bar = document.querySelector('header')
  const under = bar?.getBoundingClientRect().bottom ?? 0
  return [...document.querySelectorAll('a[href], button, input, select, textarea, [role="button"]')]
    .filter((one) => !notices.contains(one) && one.checkVisibility?.() !== false)
    .map((one) => ({ box: one.getBoundingClientRect(), hiddenTo: bar?.contains(one) === true ? 0 : under }))
    .filter(
      ({ box: { width, height, bottom, top, left, right }, hiddenTo }) =>
        width > 0 && height > 0 && bottom > hiddenTo && top < innerHeight && left < box.right && right > box.left,
    )
    .map(({ box: { top, bottom }, hiddenTo }) => ({ top: Math.max(top, hiddenTo), bottom }))
    .map(({ top, bottom }) => (edge === 'top' ? { from: top, to: bottom } : { from: innerHeight - bottom, to: innerHeight - top }))
}
