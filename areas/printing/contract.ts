import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, OptionalLine, pageOf, PageQuery, SelectionShape } from '#core/contract/shapes.ts'
import {
  batchStates,
  cardSize,
  elementKinds,
  faceWarnings,
  fileKinds,
  mostCards,
  mostElements,
  placeholders,
  printStates,
  skipReasons,
} from './rules.ts'

const print = 'smartcardBatchFilesPrint'
const status = 'smartcardBatchFilesPrintStatus'
const files = 'smartcardBatchFiles'

const Colour = z.string().regex(/^#[0-9a-f]{6}$/i, 'Enter a colour such as #1f6feb')
const Millimetres = (most: number) => z.number().min(0, 'At least 0').max(most, `At most ${most}`)

const Element = z.object({
  kind: z.enum(elementKinds),
  x: Millimetres(cardSize.width),
  y: Millimetres(cardSize.height),
  width: Millimetres(cardSize.width),
  height: Millimetres(cardSize.height),
  text: OptionalLine(200),
  colour: Colour.default('#000000'),
  /** It stands on the card only where this is known of the person. */
  when: z.enum(placeholders).optional(),
})
const Side = z.object({
  background: Colour.default('#ffffff'),
  elements: z.array(Element).max(mostElements, `At most ${mostElements} elements`).default([]),
})
export const FaceDesign = z.object({ front: Side, back: Side })
export type FaceDesign = z.output<typeof FaceDesign>

/** JPEG, base64; and what would go wrong in print, by side and element. */
const Compressed = z.object({
  frontCompressed: z.string(),
  backCompressed: z.string(),
  /** SHA-256 of the photo that is shown, in hexadecimal: whoever prints says by it which one they looked at. */
  photoHash: z.string().optional(),
  warnings: z.array(z.object({ side: z.enum(['front', 'back']), element: z.number().int(), warning: z.enum(faceWarnings) })),
})

const UserData = z.object({
  emailAddress: OptionalLine(254),
  userName: OptionalLine(120),
  givenName: OptionalLine(120),
  familyName: OptionalLine(120),
  title: OptionalLine(120),
  orgOid: OptionalLine(120),
  extensions: z.record(z.string().max(60), z.string().max(200)).default({}),
})

const PrintedCard = z.object({
  id: Id,
  state: z.enum(printStates),
  userId: Id.optional(),
  userName: z.string(),
  cardTemplateName: z.string(),
  says: z.string(),
  /** Why it was not printed when its turn came, or why it would not be now. */
  skippedFor: z.enum(skipReasons).optional(),
  /** Why it is printed again, where it is. */
  againFor: z.string().optional(),
  jobId: z.number().int().optional(),
  attempt: z.number().int(),
  changedAt: Instant,
})

const Batch = z.object({
  id: Id,
  state: z.enum(batchStates),
  printer: z.string(),
  by: z.string(),
  madeAt: Instant,
  cards: z.number().int(),
  printed: z.number().int(),
  troubled: z.number().int(),
})

const AtPrinter = z.object({
  printer: Line(200),
  cardSerial: z.string().trim().max(64).default(''),
  userId: Id.optional(),
  cardTemplateId: Id.optional(),
})
const printerFaults = {
  noClient: { status: 409, says: 'No CMS Client connected' },
  noPrinter: { status: 409, says: 'There is no such printer', field: 'printer' },
  printerTwice: {
    status: 409,
    says: 'Two of your machines have a printer of this name: rename one of them, or end the CMS Client of the other',
    field: 'printer',
  },
  printerRefused: { status: 409, says: 'The printer did not do it: {reason}' },
} as const
const unknownTemplate = { status: 400, says: 'There is no such template of cards' } as const
const unknownPerson = { status: 400, says: 'There is no such person' } as const
const noFace = { status: 409, says: 'The template of cards has no face yet' } as const
const faceless = { status: 409, says: 'The template of cards {name} has no face yet: design it under Settings' } as const

export const printing = contract({
  area: 'printing',
  title: 'Card printing',
  screens: {
    print: {
      path: '/credentials/smartcards/printSmartcardSearch',
      needs: print,
      title: 'Print cards',
      menu: { group: 'cards', entry: 'batches', tab: 'Print', place: 10 },
      also: 'card printer, batch, print a card',
    },
    requested: {
      path: '/credentials/smartcards/printSmartcardSearch/requested',
      needs: print,
      title: 'Cards to print',
      menu: { group: 'cards', entry: 'batches', tab: 'Requested', place: 15 },
      also: 'requested cards, who waits for a card',
    },
    files: {
      path: '/credentials/smartcards/batchfiles/download',
      needs: files,
      title: 'Batch files',
      menu: { group: 'cards', entry: 'batches', tab: 'Files', place: 20 },
    },
    cards: {
      path: '/credentials/smartcards/printSmartcardSearch/cards',
      needs: print,
      title: 'Printed cards',
      menu: { group: 'cards', entry: 'batches', tab: 'Printed cards', place: 17 },
      also: 'find a printed card, print again, deactivate a printed card',
    },
    status: { path: '/credentials/smartcards/batchPrintStatus/:id', needs: status, title: 'Print status', parent: 'print' },
    face: { path: '/config/smartcard/face/:id', needs: 'smartcardManage', title: 'Face of a card', parent: 'faces' },
    faces: {
      path: '/config/smartcard/faces',
      needs: 'smartcardManage',
      title: 'Faces of cards',
      menu: { group: 'settings', entry: 'printing' },
      also: 'card layout, card design',
    },
  },
  calls: {
    faced: {
      does: 'Lists the templates of cards that are in use, and which of them have a face to print.',
      method: 'GET',
      path: '/api2/CMS-v2/CardFaces',
      needs: 'smartcardManage',
      input: z.object({}),
      output: z.object({ cardTemplates: z.array(z.object({ cardTemplateId: Id, name: z.string(), hasFace: z.boolean() })) }),
    },
    face: {
      does: 'Answers the design of both sides of the cards of a template.',
      method: 'GET',
      path: '/api2/CMS-v2/CardFace',
      needs: 'smartcardManage',
      input: z.object({ cardTemplateId: Id }),
      output: z.object({ ...FaceDesign.shape, name: z.string(), version: z.number().int() }),
    },
    setFace: {
      does: 'Replaces the design of both sides of the cards of a template. Cards that were printed stay as they are.',
      title: 'Design a card face',
      method: 'PUT',
      path: '/api2/CMS-v2/CardFace',
      needs: 'smartcardManage',
      input: FaceDesign.extend({ cardTemplateId: Id, version: z.number().int().optional() }),
      output: z.object({}),
      done: 'The face is saved',
      failed: 'The face was not saved',
    },
    preview: {
      does: 'Answers a design that is not saved yet as pictures, for a person or for an invented one, with what would go wrong in print.',
      method: 'POST',
      path: '/api2/CMS-v2/PreviewCardFace',
      needs: 'smartcardManage',
      reads: true,
      packed: true,
      ownTransactions: true,
      input: FaceDesign.extend({ cardTemplateId: Id, userId: Id.optional() }),
      output: Compressed,
      faults: { unknownTemplate, unknownPerson },
    },
    layout: {
      does: 'Answers both sides of a card as pictures, by its serial number, or by a person and a template of cards.',
      method: 'GET',
      path: '/api2/CMS-v2/CardLayoutCompressed',
      needs: print,
      packed: true,
      ownTransactions: true,
      input: z.object({ cardSerial: z.string().trim().max(64).optional(), userId: Id.optional(), templateId: Id.optional() }),
      output: Compressed,
      faults: { unknownTemplate, unknownPerson, noFace },
    },
    layoutOfPerson: {
      does: 'Answers both sides of a card as pictures for a person and a template of cards, under the names of the older client.',
      method: 'POST',
      path: '/api2/CMS-v2/CardLayoutCompressedUserDataStream',
      needs: print,
      reads: true,
      packed: true,
      ownTransactions: true,
      input: z.object({ userId: Id, templateId: Id }),
      output: z.object({ front_image: z.string(), back_image: z.string() }),
      faults: { unknownTemplate, unknownPerson, noFace },
    },
    layoutOfData: {
      does: 'Answers both sides of a card as pictures for what is told of somebody, who needs no account.',
      method: 'POST',
      path: '/api2/CMS-v2/CardLayoutCompressedUserData',
      needs: print,
      reads: true,
      packed: true,
      ownTransactions: true,
      input: z.object({ userData: UserData, templateId: Id }),
      output: Compressed,
      faults: { unknownTemplate, noFace },
    },
    printers: {
      does: 'Lists the card printers that the security clients of the caller have, with whether one of our cards is at the printer.',
      method: 'GET',
      path: '/api2/CMS-v2/PrinterListPrinters',
      olderPath: '/api2/CMS-v1/PrinterListPrinters',
      needs: print,
      ownTransactions: true,
      input: z.object({}),
      output: z.object({
        printers: z.array(
          z.object({ name: z.string(), machine: z.string(), isCardPrinter: z.boolean(), isVirtual: z.boolean(), isBusy: z.boolean() }),
        ),
      }),
      faults: { noClient: printerFaults.noClient },
    },
    insert: {
      does: 'Has a card printer take a card in.',
      title: 'Insert a card into a printer',
      method: 'POST',
      path: '/api2/CMS-v2/PrinterInsertCard',
      olderPath: '/api2/CMS-v1/PrinterInsertCard',
      needs: print,
      ownTransactions: true,
      input: AtPrinter,
      output: z.object({}),
      done: 'Card inserted successfully!',
      failed: 'Could not insert card',
      faults: printerFaults,
    },
    eject: {
      does: 'Has a card printer give its card out.',
      title: 'Eject a card from a printer',
      method: 'POST',
      path: '/api2/CMS-v2/PrinterEjectCard',
      olderPath: '/api2/CMS-v1/PrinterEjectCard',
      needs: print,
      ownTransactions: true,
      input: AtPrinter,
      output: z.object({}),
      done: 'Card ejected successfully!',
      failed: 'Could not eject card',
      faults: printerFaults,
    },
    printCard: {
      does: 'Prints the face of one card for a person and waits until the printer says that it is done.',
      title: 'Print a card',
      method: 'POST',
      path: '/api2/CMS-v2/PrinterCardPrint',
      olderPath: '/api2/CMS-v1/PrinterCardPrint',
      needs: print,
      ownTransactions: true,
      /** `photoHash` of the picture that was looked at: another photo is not printed, and one that the person sent not without it. */
      input: AtPrinter.extend({ photoHash: z.string().max(64).optional() }),
      output: z.object({ printedCardId: Id }),
      done: 'Card printed successfully!',
      failed: 'Could not print card',
      faults: {
        ...printerFaults,
        unknownTemplate: { ...unknownTemplate, field: 'cardTemplateId' },
        unknownPerson: { ...unknownPerson, field: 'userId' },
        noFace,
        photoChanged: {
          status: 409,
          says: 'The photo is another one than that which you looked at. Look at the card again',
          field: 'photoHash',
        },
        photoUnseen: {
          status: 409,
          says: 'The person sent the photo, and nobody has agreed to it. Look at the card, and send the hash of its photo',
          field: 'photoHash',
        },
        notPrinted: { status: 409, says: 'The card was not printed: {reason}' },
        printUnknown: { status: 409, says: 'It is not known whether the card was printed. Look at the printer: {reason}' },
      },
    },
    calibrate: {
      does: 'Prints a card with a frame, a ruler and a circle, by which somebody sees that the printer neither scales nor turns.',
      title: 'Print a calibration card',
      method: 'POST',
      path: '/api2/CMS-v2/PrinterCalibrationCard',
      needs: print,
      ownTransactions: true,
      input: z.object({ printer: Line(200) }),
      output: z.object({}),
      done: 'The calibration card is printed',
      failed: 'The calibration card was not printed',
      faults: {
        ...printerFaults,
        notPrinted: { status: 409, says: 'The card was not printed: {reason}' },
        printUnknown: { status: 409, says: 'It is not known whether the card was printed. Look at the printer: {reason}' },
      },
    },
    addBatch: {
      does: 'Puts cards for people together to be printed one after another; answers the id of the batch.',
      title: 'Make a batch of cards',
      method: 'POST',
      path: '/api2/CMS-v2/AddBatch',
      needs: print,
      input: z.object({
        users: z
          .array(z.object({ cardTemplateId: Id, userId: Id, userDn: z.string().max(1000).default('') }))
          .min(1, 'Choose at least one person')
          .max(mostCards, `At most ${mostCards} cards`),
      }),
      output: z.object({ batchId: Id }),
      done: 'The batch was made',
      failed: 'The batch was not made',
      faults: {
        unknownPerson: { status: 400, says: 'There is no person {id}' },
        unknownTemplate: { status: 400, says: 'There is no template of cards {id}' },
        faceless,
      },
    },
    requested: {
      does: 'Lists open requests for smartcards for whoever prints them, the oldest first, with whether a batch holds the card.',
      method: 'POST',
      path: '/api2/CMS-v2/SearchRequestedCards',
      needs: print,
      reads: true,
      input: PageQuery,
      output: pageOf(
        z.object({
          id: Id,
          userId: Id,
          name: z.string(),
          username: z.string(),
          cardTemplateName: z.string(),
          deliverTo: z.string(),
          dueDate: Instant.optional(),
          madeAt: Instant,
          hasPhoto: z.boolean(),
          printState: z.enum(printStates).optional(),
        }),
      ),
    },
    addBatchOfRequests: {
      does: 'Puts the cards of open requests together to be printed; of requests whose card is in a batch already none is added.',
      title: 'Make a batch of requested cards',
      method: 'POST',
      path: '/api2/CMS-v2/AddBatchOfRequests',
      needs: print,
      input: SelectionShape.extend({ text: z.string().max(200).default('') }),
      output: z.object({ batchId: Id, cards: z.number().int(), left: z.number().int() }),
      done: 'The batch was made',
      failed: 'The batch was not made',
      faults: {
        noneLeft: { status: 409, says: 'The cards of all these requests are in a batch already, or the requests are not open any more' },
        faceless,
        tooManyCards: { status: 400, says: `At most ${mostCards} cards in a batch. Narrow the selection` },
      },
    },
    printBatch: {
      does: 'Prints the cards of a batch that wait, in the background, on a printer of the caller.',
      title: 'Print a batch of cards',
      method: 'POST',
      path: '/api2/CMS-v2/PrintBatch',
      olderPath: '/api2/CMS-v1/PrintBatch',
      needs: print,
      ownTransactions: true,
      input: z.object({ batch_id: Id, reader: Line(200), printOnly: z.boolean() }),
      output: z.object({ waiting: z.number().int() }),
      done: 'The batch is being printed',
      failed: 'The batch was not printed',
      faults: {
        ...printerFaults,
        noPrinter: { ...printerFaults.noPrinter, field: 'reader' },
        printerTwice: { ...printerFaults.printerTwice, field: 'reader' },
        onlyPrint: { status: 409, says: 'Cards of a batch are only printed here. Issue them at the card desk', field: 'printOnly' },
        isPrinting: { status: 409, says: 'The batch is being printed already' },
        nothing: { status: 409, says: 'No card of the batch waits to be printed' },
      },
    },
    stop: {
      does: 'Stops a batch after the card that is at the printer.',
      title: 'Stop printing a batch',
      method: 'POST',
      path: '/api2/CMS-v2/StopBatchPrint',
      needs: print,
      input: z.object({ batchId: Id }),
      output: z.object({}),
      done: 'The batch stops after this card',
      failed: 'The batch was not stopped',
    },
    skip: {
      does: 'Leaves a waiting card of a batch out.',
      title: 'Skip a card of a batch',
      method: 'POST',
      path: '/api2/CMS-v2/SkipPrintedCard',
      needs: print,
      input: z.object({ printedCardId: Id }),
      output: z.object({}),
      failed: 'The card was not skipped',
      faults: { notWaiting: { status: 409, says: 'The card does not wait any more' } },
    },
    reprint: {
      does: 'Lets a card of a batch wait again, with the reason why it is printed once more.',
      title: 'Print a card again',
      method: 'POST',
      path: '/api2/CMS-v2/ReprintCard',
      needs: print,
      input: z.object({ printedCardId: Id, reason: Line(200) }),
      output: z.object({}),
      done: 'The card waits to be printed again',
      failed: 'The card is not printed again',
      faults: { notEnded: { status: 409, says: 'The card waits, or is at the printer' } },
    },
    deactivate: {
      does: 'Marks a printed card as one that nobody uses: it was spoilt or destroyed.',
      title: 'Deactivate a printed card',
      method: 'POST',
      path: '/api2/CMS-v2/DeactivatePrintedCard',
      needs: print,
      input: z.object({ printedCardId: Id }),
      output: z.object({}),
      done: 'The printed card is deactivated',
      failed: 'The printed card was not deactivated',
      faults: { notPrinted: { status: 409, says: 'The card is not printed' } },
    },
    status: {
      does: 'Answers how far a batch is, with each of its cards.',
      method: 'GET',
      path: '/api2/CMS-v2/BatchPrintStatus',
      needs: status,
      input: z.object({ id: Id }),
      output: Batch.extend({ cardList: z.array(PrintedCard) }),
    },
    checkBatch: {
      does: 'Draws the cards of a batch that wait, and names what would go wrong in print: texts that are cut, photos that are missing.',
      method: 'POST',
      path: '/api2/CMS-v2/CheckBatchFaces',
      needs: print,
      reads: true,
      ownTransactions: true,
      input: z.object({ batchId: Id }),
      output: z.object({
        cards: z.number().int(),
        warnings: z.array(z.object({ printedCardId: Id, userName: z.string(), warning: z.enum(faceWarnings) })),
      }),
    },
    printed: {
      does: 'Lists cards that were printed or wait, by person and state, those that changed last first.',
      method: 'POST',
      path: '/api2/CMS-v2/SearchPrintedCards',
      needs: print,
      reads: true,
      input: PageQuery.extend({ state: z.enum(printStates).optional() }),
      output: pageOf(PrintedCard.extend({ batchId: Id.optional(), printer: z.string() })),
    },
    bureau: {
      does: 'Answers the certificate of the bureau that prints cards elsewhere, to which batch files are sealed.',
      method: 'GET',
      path: '/api2/CMS-v2/PrintBureau',
      needs: files,
      input: z.object({}),
      output: z.object({
        bureau: z
          .object({ subject: z.string(), serial: z.string(), validUntil: Instant, isOver: z.boolean(), by: z.string(), setAt: Instant })
          .optional(),
      }),
    },
    setBureau: {
      does: 'Sets the certificate of the bureau that prints cards elsewhere. Without one no file is made for a bureau.',
      title: 'Set the bureau of cards',
      method: 'PUT',
      path: '/api2/CMS-v2/PrintBureau',
      needs: 'smartcardManage',
      input: z.object({ certificate: z.string().max(20_000, 'This is longer than a certificate').default('') }),
      output: z.object({}),
      done: 'The bureau is set',
      failed: 'The bureau was not set',
      faults: {
        notOne: { status: 400, says: 'Enter one certificate, in PEM', field: 'certificate' },
        cannotReceive: {
          status: 400,
          says: 'Nothing can be sealed to the key of this certificate: take one with an RSA or EC key',
          field: 'certificate',
        },
        isOver: { status: 400, says: 'The certificate has expired, or is not valid yet', field: 'certificate' },
      },
    },
    takings: {
      does: 'Lists who took which file of a batch, the latest first.',
      method: 'POST',
      path: '/api2/CMS-v2/SearchBatchFileTakings',
      needs: files,
      reads: true,
      input: PageQuery.omit({ text: true }).extend({ batchId: Id }),
      /** `isWhole`: all of it has left; of a file that broke off, or is under way, it has not. */
      output: pageOf(z.object({ id: Id, file: z.enum(fileKinds), by: z.string(), at: Instant, isWhole: z.boolean() })),
    },
    batches: {
      does: 'Lists batches of cards with how many are printed, the latest first.',
      method: 'POST',
      path: '/api2/CMS-v2/SearchBatches',
      needs: files,
      tokens: [files],
      reads: true,
      input: PageQuery.omit({ text: true }),
      output: pageOf(Batch),
    },
    mine: {
      does: 'Lists batches of cards for whoever prints them, the latest first.',
      method: 'POST',
      path: '/api2/CMS-v2/SearchPrintBatches',
      needs: print,
      reads: true,
      input: PageQuery.omit({ text: true }),
      output: pageOf(Batch),
    },
  },
  endpoints: {
    /** `?id=&file=list`, `faces`, or `bureau`: a CMS EnvelopedData for the certificate of the bureau, with JSON of each card and its faces. */
    file: { method: 'GET', path: '/api2/CMS-v2/BatchFile', needs: files },
    /** `?id=` of a request. */
    requestedPhoto: { method: 'GET', path: '/api2/CMS-v2/RequestedCardPhoto', needs: print },
  },
  jobs: { abandoned: { title: 'Tell of cards whose printing nobody follows any more', every: '* * * * *' } },
  events: {
    faceChanged: { says: 'Changed a card face', body: z.object({ cardTemplateId: Id }) },
    batchAdded: { says: 'Made a batch of cards', body: z.object({ batchId: Id, cards: z.number().int() }) },
    batchStarted: { says: 'Began to print a batch', body: z.object({ batchId: Id, printer: z.string() }) },
    batchStopped: { says: 'Stopped a batch', body: z.object({ batchId: Id }) },
    sent: { says: 'Sent a card to a printer', body: z.object({ printedCardId: Id, userId: Id.optional(), printer: z.string() }) },
    ended: {
      says: 'A card left a printer',
      body: z.object({ printedCardId: Id, userId: Id.optional(), state: z.enum(printStates), reason: z.enum(skipReasons).optional() }),
    },
    reprinted: { says: 'Let a card be printed again', body: z.object({ printedCardId: Id, reason: z.string() }) },
    skipped: { says: 'Skipped a card of a batch', body: z.object({ printedCardId: Id, reason: z.enum(skipReasons).optional() }) },
    deactivated: { says: 'Deactivated a printed card', body: z.object({ printedCardId: Id }) },
    bureauSet: { says: 'Set the bureau of cards', body: z.object({ subject: z.string() }) },
    calibrated: { says: 'Printed a calibration card', body: z.object({ printer: z.string() }) },
    fileTaken: { says: 'Began to take a file of a batch', body: z.object({ batchId: Id, file: z.string() }) },
    fileCompleted: { says: 'Took all of a file of a batch', body: z.object({ batchId: Id, file: z.string() }) },
    moved: { says: 'Moved a card at a printer', body: z.object({ printer: z.string(), to: z.string() }) },
  },
})
