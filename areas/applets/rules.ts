// What both sides know of applets and of the keys that put them on cards.

/** The applet of every card operation, GlobalPlatform's PIV. */
export const cardAppletId = 'A000000308000010000100'
/** Of a file in base64: debug components may be three times what is loaded. */
export const longestFile = 400_000
export const mostCards = 100

/** What became of an applet on a card. */
export const loadStates = ['loaded', 'present'] as const
export const loadLabels: Readonly<Record<(typeof loadStates)[number], { label: string; kind: string }>> = {
  loaded: { label: 'Loaded', kind: 'done' },
  present: { label: 'Was there already', kind: 'disabled' },
}
