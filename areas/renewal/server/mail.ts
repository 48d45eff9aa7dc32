// Sends the mail of renewal: to the person who must act next, and to the holder or requester when somebody else has renewed the certificate.

import { certificates } from '#areas/certificates/contract.ts'
import { myRequestPath } from '#areas/certificates/paths.ts'
import { areOfOneKey, findRenewable, type Renewable } from '#areas/certificates/renewing.ts'
import { inBrackets, keeperOf, whoseIs } from '#areas/certificates/rules.ts'
import { linkTo, queueMail } from '#areas/mail/service.ts'
import { findPerson } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { Actor, House } from '#core/server/house.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { message } from '#core/server/texts.ts'
import { renewal } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { deleteNotices, insertNotice, lockNotices, noteDigest, type NoticeRecord, type Turn } from './notice-store.ts'
import { currentRenewal } from './store.ts'

/** Who asks where nobody does. */
export const jobName = 'Automatic renewal'
export const job: Actor = { name: jobName }

type Notice = { tenantId: string; turn: Turn; requestId?: string; personId: string }

/** What each turn asks for, by itself and as a line among others; and the kind of mail, which a person may have switched off. */
const turns = {
  awaitingHolder: { kind: 'certificateExpiring', ...mailWords.awaitingHolder },
  awaitingKey: { kind: 'certificateExpiring', ...mailWords.awaitingKey },
  collect: { kind: 'requestDecided', ...mailWords.collect },
} as const satisfies Record<Turn, object>

const valuesOf = ({ name, template_name, not_after }: Renewable) => ({ name, template: inBrackets(template_name), end: not_after })

export async function tellOf(
  db: Database,
  house: House,
  certificate: Renewable,
  { tenantId, turn, requestId, personId }: Notice,
): Promise<void> {
  const person = await findPerson(db, tenantId, personId)
  if (person === undefined || !person.enabled) return
  const { kind, subject, text } = turns[turn]
  const path =
    turn === 'collect' && requestId !== undefined
      ? myRequestPath(certificate.entity, requestId)
      : to(renewal.screens.view, { certId: certificate.id })
  await queueMail(
    { db, tenantId, now: house.now() },
    {
      to: { userId: person.id, emailAddress: person.emailAddress },
      kind,
      subject: message(subject, { name: certificate.name }),
      text: message(text, valuesOf(certificate)),
      link: linkTo(house, path),
    },
  )
}

/** Keeps what the job has to tell until the end of its run, so that it stands in one letter with the others. */
export const noteFor = (
  db: Database,
  house: House,
  certificate: Renewable,
  { tenantId, turn, requestId, personId }: Notice,
): Promise<void> =>
  insertNotice(db, {
    tenant_id: tenantId,
    id: timeOrderedId(house.now()),
    user_id: personId,
    turn,
    certificate_id: certificate.id,
    request_id: requestId ?? null,
  })

const mostNotices = 1_000
const mostLines = 50
const day = 86_400_000

/** Writes one letter a person, kind and day about what the job has to tell by now. What has been done meanwhile is not told. */
export async function sendDigests(house: House, tenantId: string): Promise<void> {
  await house.work(tenantId, job, async ({ tenancy }) => {
    const { db, now } = tenancy
    const notices = await lockNotices(tenancy, mostNotices)
    const open: { notice: NoticeRecord; certificate: Renewable }[] = []
    for (const notice of notices) {
      const certificate = await findRenewable(db, tenantId, { certId: notice.certificate_id })
      const row = await currentRenewal(db, tenantId, notice.certificate_id)
      if (certificate !== undefined && row?.state === (notice.turn === 'collect' ? 'waiting' : notice.turn))
        open.push({ notice, certificate })
      else await deleteNotices(tenancy, [notice.id])
    }
    for (const those of Map.groupBy(open, ({ notice }) => `${notice.user_id} ${turns[notice.turn].kind}`).values()) {
      const [first] = those
      if (first === undefined) continue
      const { user_id: personId, turn } = first.notice
      const { kind } = turns[turn]
      // Goes with tomorrow's letter.
      if (!(await noteDigest(tenancy, { userId: personId, kind, since: new Date(now.getTime() - day) }))) continue
      await deleteNotices(
        tenancy,
        those.map(({ notice }) => notice.id),
      )
      if (those.length > 1) await tellOfMany(tenancy, house, those)
      else {
        const { request_id: requestId } = first.notice
        await tellOf(db, house, first.certificate, { tenantId, turn, personId, ...(requestId === null ? {} : { requestId }) })
      }
    }
  })
}

async function tellOfMany(
  tenancy: Tenancy,
  house: House,
  those: readonly { notice: NoticeRecord; certificate: Renewable }[],
): Promise<void> {
  const sorted = those.toSorted((a, b) => a.certificate.not_after.getTime() - b.certificate.not_after.getTime())
  const [first] = sorted
  const person = first === undefined ? undefined : await findPerson(tenancy.db, tenancy.tenantId, first.notice.user_id)
  if (first === undefined || person === undefined || !person.enabled) return
  const { kind } = turns[first.notice.turn]
  const lines = sorted.slice(0, mostLines).map(({ notice, certificate }) => message(turns[notice.turn].line, valuesOf(certificate)))
  const more = sorted.length - lines.length
  await queueMail(tenancy, {
    to: { userId: person.id, emailAddress: person.emailAddress },
    kind,
    subject: message(kind === 'requestDecided' ? mailWords.many.ready : mailWords.many.waiting, { count: sorted.length }),
    text: [[...lines, ...(more > 0 ? [message(mailWords.many.more, { count: more })] : [])]],
    link: linkTo(house, to(certificates.screens.own)),
  })
}

type Renewed = { tenantId: string; by: string; requesterId: string; successorId: string }

/** Who had a certificate hears that somebody else renewed it: the holder always, and whoever asked for a device's where the key is another, which the device has not got yet. */
export async function tellRenewed(
  db: Database,
  house: House,
  certificate: Renewable,
  { tenantId, by, requesterId, successorId }: Renewed,
): Promise<void> {
  const personId = keeperOf(whoseIs(certificate))
  if (personId === undefined || personId === requesterId) return
  const sameKey = await areOfOneKey(db, tenantId, certificate.id, successorId)
  if (sameKey && certificate.entity === 'device') return
  const person = await findPerson(db, tenantId, personId)
  if (person === undefined || !person.enabled) return
  await queueMail(
    { db, tenantId, now: house.now() },
    {
      to: { userId: person.id, emailAddress: person.emailAddress },
      kind: 'certificateChanged',
      subject: message(mailWords.renewed.subject, { by, name: certificate.name }),
      text: message(sameKey ? mailWords.renewed.sameKey : mailWords.renewed.newKey, { ...valuesOf(certificate), by }),
      link: linkTo(house, to(renewal.screens.view, { certId: certificate.id })),
    },
  )
}
