// What both sides know of faces and printed cards.

/** CR80, ISO/IEC 7810 ID-1, in millimetres; at 300 dots an inch. */
export const cardSize = { width: 85.6, height: 53.98 } as const
export const dotsPerMillimetre = 300 / 25.4

export const elementKinds = ['text', 'qr', 'box'] as const
export type ElementKind = (typeof elementKinds)[number]
export const kindLabels: Readonly<Record<ElementKind, string>> = { text: 'Text', qr: 'QR code', box: 'Coloured box' }

/** What may stand in a text between braces. */
export const placeholders = ['givenName', 'familyName', 'userName', 'emailAddress', 'title', 'orgOid', 'cardSerial'] as const
export type Placeholder = (typeof placeholders)[number]
export type FaceFacts = Readonly<Partial<Record<Placeholder, string>>>

/** What a new text on a card says. Put together, because the build compiles each literal with a value in braces as a message of the console. */
export const nameOnCard = (['givenName', 'familyName'] satisfies Placeholder[]).map((name) => `{${name}}`).join(' ')

/** `{givenName} {familyName}`: what nobody knows is left out. */
export const filled = (text: string, facts: FaceFacts): string =>
  text
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => (placeholders.some((one) => one === name) ? (facts[name as Placeholder] ?? '') : ''))
    .trim()

export const printStates = ['waiting', 'sending', 'printing', 'printed', 'failed', 'unknown', 'skipped', 'deactivated'] as const
export type PrintState = (typeof printStates)[number]
export const printLabels: Readonly<Record<PrintState, { label: string; kind: string }>> = {
  waiting: { label: 'Waiting', kind: 'pending' },
  sending: { label: 'On its way to the printer', kind: 'issuing' },
  printing: { label: 'Printing', kind: 'issuing' },
  printed: { label: 'Printed', kind: 'done' },
  failed: { label: 'Not printed', kind: 'failed' },
  unknown: { label: 'Unknown: look at the printer', kind: 'warning' },
  skipped: { label: 'Skipped', kind: 'cancelled' },
  deactivated: { label: 'Deactivated', kind: 'disabled' },
}
/** What becomes of these nobody waits for. */
export const endedStates: readonly PrintState[] = ['printed', 'failed', 'unknown', 'skipped', 'deactivated']

export const batchStates = ['new', 'printing', 'stopped', 'done'] as const
export type BatchState = (typeof batchStates)[number]
export const batchLabels: Readonly<Record<BatchState, { label: string; kind: string }>> = {
  new: { label: 'Not printed yet', kind: 'draft' },
  printing: { label: 'Printing', kind: 'issuing' },
  stopped: { label: 'Stopped', kind: 'warning' },
  done: { label: 'Done', kind: 'done' },
}

export const mostCards = 500
export const mostElements = 20
export const pollMilliseconds = 3_000
