// What both sides know of faces and printed cards.

/** CR80, ISO/IEC 7810 ID-1, in millimetres; at 300 dots an inch. */
export const cardSize = { width: 85.6, height: 53.98 } as const
export const dotsPerMillimetre = 300 / 25.4

export const elementKinds = ['text', 'photo', 'barcode', 'qr', 'box'] as const
export type ElementKind = (typeof elementKinds)[number]
export const kindLabels: Readonly<Record<ElementKind, string>> = {
  text: 'Text',
  photo: 'Photo of the person',
  barcode: 'Bar code (Code 128)',
  qr: 'QR code',
  box: 'Coloured box',
}

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

/** What is said before a card is printed, since a card cannot be printed back. */
export const faceWarnings = ['tooLong', 'noGlyph', 'noPhoto', 'noBarcode', 'noQr'] as const
export type FaceWarning = (typeof faceWarnings)[number]
export const warningLabels: Readonly<Record<FaceWarning, string>> = {
  tooLong: 'The text is longer than its box and is cut',
  noGlyph: 'No font here can write a character of the text',
  noPhoto: 'There is no photo of the person',
  noBarcode: 'The bar code does not fit into its box, or holds a character that it cannot',
  noQr: 'The QR code is too small to be printed',
}

/** Elements that stand on a card only where something is known of the person. */
export const isShown = (when: Placeholder | undefined, facts: FaceFacts): boolean => when === undefined || (facts[when] ?? '') !== ''

export const fileKinds = ['list', 'faces', 'bureau'] as const
export type FileKind = (typeof fileKinds)[number]
export const fileLabels: Readonly<Record<FileKind, string>> = { list: 'List', faces: 'Card faces', bureau: 'Bureau file' }

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
/** Why a card of a batch is not printed when its turn comes. */
export const skipReasons = ['requestOver', 'personGone', 'personDisabled', 'photoGone', 'photoChanged'] as const
export type SkipReason = (typeof skipReasons)[number]
export const skipLabels: Readonly<Record<SkipReason, string>> = {
  requestOver: 'The request for the card is not open any more',
  personGone: 'The person has no account any more',
  personDisabled: 'The account of the person is disabled',
  photoGone: 'The photo for the card was withdrawn',
  photoChanged: 'The photo was changed after somebody had looked at it',
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

export type Box = { x: number; y: number; width: number; height: number }
const least = 0.5
/** To a tenth of a millimetre, less than a printer's dot is wide. */
const tenth = (length: number): number => Math.round(length * 10) / 10
const between = (value: number, low: number, high: number): number => tenth(Math.min(Math.max(value, low), high))

/** Keeps the whole box on the card. */
export const moved = ({ x, y, width, height }: Box, across: number, down: number): Box => ({
  x: between(x + across, 0, Math.max(0, cardSize.width - width)),
  y: between(y + down, 0, Math.max(0, Math.floor((cardSize.height - height) * 10) / 10)),
  width,
  height,
})

export const resized = ({ x, y, width, height }: Box, across: number, down: number): Box => ({
  x,
  y,
  width: between(width + across, least, Math.max(least, cardSize.width - x)),
  height: between(height + down, least, Math.max(least, Math.floor((cardSize.height - y) * 10) / 10)),
})

/** Keywords of IPP (RFC 8011 section 5.3.8 and 5.4.12) that say why a card was not printed. */
export const printerWords: Readonly<Record<string, { says: string } | undefined>> = {
  'aborted-by-system': { says: 'The printer gave the job up' },
  'job-canceled-by-user': { says: 'Somebody canceled it at the printer' },
  'job-canceled-at-device': { says: 'Somebody canceled it at the printer' },
  'media-jam': { says: 'A card is jammed' },
  'media-empty': { says: 'The printer has no more cards' },
  'media-needed': { says: 'The printer has no more cards' },
  'marker-supply-empty': { says: 'The ribbon is used up' },
  'cover-open': { says: 'A cover of the printer is open' },
}
