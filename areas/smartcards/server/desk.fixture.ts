// A tenancy with a PKI, a template of cards, and a person at the desk whose machine has a security client with a reader of software.

import { certificates } from '#areas/certificates/contract.ts'
import { openIssuingHouse } from '#areas/certificates/server/issuing.fixture.ts'
import { openClientLink, type ClientLink } from '#core/agent-link/client.ts'
import type { Welcome } from '#core/agent-link/messages.ts'
import { hostPrinters, isPrinterAct } from '#core/agent-link/printers.ts'
import { hostReaders } from '#core/agent-link/reader-host.ts'
import { virtualPrinter, type VirtualPrinter } from '#core/agent-link/virtual-printer.ts'
import { virtualReaders, type VirtualReaders } from '#core/agent-link/virtual-readers.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import type { Caller } from '#core/testing/caller.ts'
import { CallRefused, type TestHouseOptions } from '#core/testing/house.ts'
import { openVirtualCard, type VirtualCard } from '#standards/piv/card/card.ts'
import { blankCard, type CardMaking } from '#standards/piv/card/state.ts'
import { smartcards } from '../contract.ts'

export const readerName = 'Desk reader'
export const printerName = 'Desk printer'
export const inReader = { readerName }

export type TestClient = {
  readers: VirtualReaders
  printer: VirtualPrinter
  link: ClientLink
  welcome: Promise<Welcome>
  ended: Promise<string | undefined>
  insert(card: VirtualCard | undefined): void
}

/** Starts a security client that says who it is by a ticket, by what it was given before, or not at all. */
export async function startClient(
  caller: Pick<Caller, 'call'>,
  who: { ticket?: string; secret?: string; machine?: string } = {},
): Promise<TestClient> {
  const { AgentPort, ServerKey } = await caller.call(smartcards.calls.clientConfig, {})
  const readers = virtualReaders([readerName])
  const host = hostReaders(readers)
  const printer = virtualPrinter(printerName)
  const printerHost = hostPrinters(printer)
  const welcomed = Promise.withResolvers<Welcome>()
  const over = Promise.withResolvers<string | undefined>()
  const link = openClientLink({
    address: '127.0.0.1',
    port: AgentPort,
    pin: ServerKey,
    hello: { version: 'test', machine: who.machine ?? 'desk', ticket: who.ticket ?? '', secret: who.secret ?? '' },
    readers: readers.list(),
    heard({ welcome, ask }, client) {
      if (welcome !== undefined) welcomed.resolve(welcome)
      if (ask !== undefined) void (isPrinterAct(ask.act) ? printerHost : host).answer(ask).then((answer) => client.tell({ answer }))
    },
    ended(why) {
      over.resolve(why)
      welcomed.reject(new Error(`The client was sent away: ${why ?? ''}`))
    },
  })
  // Whoever waits for it hears of it; nobody must.
  welcomed.promise.catch(() => {})
  readers.watch(() => link.tell({ readers: { readers: [...readers.list()] } }))
  return { readers, printer, link, welcome: welcomed.promise, ended: over.promise, insert: (card) => readers.insert(readerName, card) }
}

/** The same, joined to the caller's session as the console does it. */
export async function connectClient(caller: Pick<Caller, 'call'>, machine?: string): Promise<TestClient> {
  const { SessionCookie } = await caller.call(smartcards.calls.ticket, {})
  const client = await startClient(caller, { ticket: SessionCookie, ...(machine === undefined ? {} : { machine }) })
  await client.welcome
  return client
}

let serials = 1_000_000
export const newCard = (making: Partial<CardMaking> = {}): VirtualCard => openVirtualCard(blankCard({ serial: (serials += 1), ...making }))

export type DeskFixture = Awaited<ReturnType<typeof openDesk>>

export async function openDesk(options: TestHouseOptions = {}) {
  const opened = await openIssuingHouse(options)
  const { pki } = opened
  const desk = await pki.tenancy.person({
    permissions: ['smartcardManage', 'smartcardReqView', 'certView'],
    givenName: 'Dee',
    familyName: 'Desk',
  })
  const holder = await pki.tenancy.person({ permissions: [], givenName: 'Hal', familyName: 'Holder' })
  const templateId = await pki.addTemplate('User', { issueApprovers: 0 })
  const client = await connectClient(desk)
  let count = 0
  const addTemplate = async (slots: DraftOf<typeof smartcards.calls.addTemplate>['slots']): Promise<string> =>
    (await desk.call(smartcards.calls.addTemplate, { name: `Staff ${(count += 1)}`, slots })).id
  const cardTemplateId = await addTemplate([{ slot: '9A', algorithm: 'P-256', templateId }])
  /** Puts a card in and registers it. */
  const register = async (card: VirtualCard) => {
    client.insert(card)
    return desk.call(smartcards.calls.register, { card_id: inReader })
  }
  type Issuing = Partial<DraftOf<typeof smartcards.calls.issue>>
  const tryIssue = (more: Issuing = {}) =>
    desk.call(smartcards.calls.issue, { card_id: inReader, cardTemplateId, user_ids: [holder.id], new_pin: '246813', ...more })
  const approveAll = async () => {
    for (const { requestId } of (await pki.bob.call(certificates.calls.searchApprovals, { waitingForMe: true })).rows)
      await pki.bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })
  }
  /** Issues as often as somebody else has to agree to a certificate first. */
  const issue = async (more: Issuing = {}): ReturnType<typeof tryIssue> => {
    try {
      return await tryIssue(more)
    } catch (error) {
      if (!(error instanceof CallRefused) || error.code !== 'waitsForApproval') throw error
      await approveAll()
      return issue(more)
    }
  }
  return {
    ...opened,
    desk,
    holder,
    templateId,
    cardTemplateId,
    client,
    addTemplate,
    register,
    tryIssue,
    approveAll,
    issue,
    async close() {
      client.link.close()
      await opened.close()
    },
  }
}
