// Cards and their readers as they are shown.

import type * as z from 'zod'
import { findCertificates } from '#areas/certificates/service.ts'
import { findPeople, fullName } from '#areas/users/service.ts'
import type { House } from '#core/server/house.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import type { Printer } from '../printers.ts'
import { cardType, pinDescription, type CardSlot } from '../rules.ts'
import type { CardRow, CardSlotView, OperationView, ReaderView } from '../shapes.ts'
import type { FoundReader } from './agents/readers.ts'
import { cardFaultOf, CardFault, withCard } from './agents/readers.ts'
import { reasonOf, type Step } from './engine/operation.ts'
import { countCurrent, findUnfinished, listCurrent, listOperations, listSlots, listSteps } from './operation-store.ts'
import { findBySerial, listCardTemplates, type CardRecord, type OperationRecord, type StepRecord } from './store.ts'

const shownOperations = 10

export async function presentCards(tenancy: Tenancy, rows: readonly CardRecord[]): Promise<z.input<typeof CardRow>[]> {
  const holders = [...new Set(rows.flatMap(({ holder_id: id }) => id ?? []))]
  const people = await findPeople(tenancy.db, tenancy.tenantId, holders)
  const names = new Map([...people.values()].map((person) => [person.id, fullName(person)]))
  const templates = new Map((await listCardTemplates(tenancy)).map(({ id, name }) => [id, name]))
  const counts = await countCurrent(
    tenancy,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({
    id: row.id,
    serial: row.serial,
    status: row.status,
    pinBlocked: row.pin_left === 0,
    ...(row.holder_id === null ? {} : { userId: row.holder_id }),
    userName: names.get(row.holder_id ?? '') ?? '',
    cardTemplateName: templates.get(row.card_template_id ?? '') ?? '',
    firmware: row.firmware,
    certificates: counts.get(row.id) ?? 0,
    label: row.label,
    custody: row.custody,
    temporary: row.temporary,
    ...(row.expires_at === null ? {} : { expires: row.expires_at.toISOString() }),
    ...(row.read_at === null ? {} : { readAt: row.read_at.toISOString() }),
    addedAt: row.added_at.toISOString(),
  }))
}

export async function presentSlots(tenancy: Tenancy, cardId: string): Promise<z.input<typeof CardSlotView>[]> {
  const slots = await listCurrent(tenancy, [cardId])
  const ids = slots.flatMap(({ certificate_id: id }) => id ?? [])
  const found = await findCertificates(tenancy.db, tenancy.tenantId, ids, tenancy.now)
  return slots.map(({ slot, algorithm, certificate_id: id, origin, origin_says: originSays }) => {
    const certificate = found.get(id ?? '')
    return {
      slot,
      algorithm,
      origin,
      originSays,
      ...(id === null ? {} : { certificateId: id }),
      certificateName: certificate?.name ?? '',
      serialHex: certificate?.serialHex ?? '',
      ...(certificate === undefined ? {} : { validTo: certificate.validTo.toISOString() }),
      status: certificate?.status ?? '',
    }
  })
}

export async function presentAwaited(tenancy: Tenancy, cardId: string): Promise<{ slot: CardSlot; requestId: string }[]> {
  const unfinished = await findUnfinished(tenancy, cardId)
  const made = unfinished === undefined ? [] : await listSlots(tenancy, unfinished.id)
  return made.flatMap(({ slot, request_id: requestId, certificate_id: certificateId }) =>
    requestId === null || certificateId !== null ? [] : [{ slot, requestId }],
  )
}

export async function presentOperations(tenancy: Tenancy, cardId: string): Promise<z.input<typeof OperationView>[]> {
  const operations = await listOperations(tenancy, cardId, shownOperations)
  const steps = Map.groupBy(
    await listSteps(
      tenancy,
      operations.map(({ id }) => id),
    ),
    ({ operation_id: id }) => id,
  )
  return operations.map((operation) => ({
    id: operation.id,
    kind: operation.kind,
    state: operation.state,
    error: operation.error,
    by: operation.by_name,
    startedAt: operation.started_at.toISOString(),
    steps: (steps.get(operation.id) ?? []).map((step) => presentStep(operation, step)),
  }))
}

function presentStep(operation: Pick<OperationRecord, 'state'>, { n, name, slot, done_at: done, error }: StepRecord): Step {
  const shown = { n, name, ...(slot === '' ? {} : { slot }) }
  if (done !== null) return { ...shown, state: 'done' }
  if (operation.state === 'running') return { ...shown, state: 'running' }
  return error === '' ? { ...shown, state: 'waiting' } : { ...shown, state: 'failed', says: error }
}

/** Which card a reader has does not change while nobody touches it: it is read once, and again when its client connects anew, which counts from the start. */
const mostRemembered = 5_000
const known = new WeakMap<House, Map<string, string>>()

async function serialIn(house: House, found: FoundReader): Promise<string> {
  const { agent, reader } = found
  const serials = known.get(house) ?? new Map<string, string>()
  known.set(house, serials)
  const key = `${agent.agentId} ${reader.name}`
  const moment = `${agent.connection}.${reader.changes} `
  const remembered = serials.get(key)
  const serial = remembered?.startsWith(moment)
    ? remembered.slice(moment.length)
    : await withCard(found, { says: say`Reading the card` }, async (_card, identity) => identity.serial)
  if (serials.size >= mostRemembered) serials.clear()
  serials.set(key, moment + serial)
  return serial
}

/** What the card says of itself and nothing that is kept of it here, for somebody without an account. */
export async function presentBareReader(house: House, found: FoundReader): Promise<z.input<typeof ReaderView>> {
  const { name, isVirtual, atr } = found.reader
  if (atr === '') return { name, isVirtual }
  try {
    return { name, isVirtual, smartcard: { atr, cardType, serialNumber: await serialIn(house, found) }, ...pinRules }
  } catch (error) {
    return { name, isVirtual, smartcard: { atr, cardType, trouble: troubleOf(error) } }
  }
}

export const pinRules = {
  pinRequirements: { minLength: 6, maxLength: 8, digitsOnly: true },
  pinRequirementDescriptionOverride: pinDescription,
}

/** Why the card was not read; throws what has nothing to do with a card. */
function troubleOf(error: unknown): string {
  const fault = cardFaultOf(error)
  if (!(fault instanceof CardFault)) throw error
  return reasonOf(fault)
}

export async function presentReader(
  house: House,
  tenantId: string,
  found: FoundReader,
  {
    mode = 'READER_CARD_DETAILS',
    printers = [],
  }: { mode?: 'READER_ONLY' | 'READER_CARD_DETAILS'; printers?: readonly Printer[] | undefined } = {},
): Promise<z.input<typeof ReaderView>> {
  const { reader } = found
  const printer = printers.find((one) => one.isCardPrinter && one.agent.agentId === found.agent.agentId)
  const shown = {
    name: reader.name,
    isVirtual: reader.isVirtual,
    ...(printer === undefined ? {} : { printer: { name: printer.name, isCardPrinter: true } }),
  }
  if (reader.atr === '') return shown
  const smartcard = { atr: reader.atr, cardType }
  if (mode === 'READER_ONLY') return { ...shown, smartcard }
  try {
    const serial = await serialIn(house, found)
    const row = await withTenancy(house, tenantId, async (tenancy) => {
      const card = await findBySerial(tenancy, serial)
      return card && (await presentCards(tenancy, [card]))[0]
    })
    return {
      ...shown,
      smartcard: {
        ...smartcard,
        serialNumber: serial,
        ...(row === undefined ? {} : { cardId: row.id, status: row.status, userName: row.userName }),
      },
      ...pinRules,
    }
  } catch (error) {
    return { ...shown, smartcard: { ...smartcard, trouble: troubleOf(error) } }
  }
}
