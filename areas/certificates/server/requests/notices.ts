// The mail of this room: to approvers when a request waits, to the requester when it is decided, to holder and requester before the end.

import { findApprovalOf } from '#areas/approvals/service.ts'
import { linkTo, queueMail, type NewMail } from '#areas/mail/service.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import { rightsOf } from '#areas/users/rights.ts'
import { findPeople, peopleWhoMay } from '#areas/users/service.ts'
import { fillPath, to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import type { TenancyTurn } from '#core/server/serve.ts'
import { message, type Message } from '#core/server/texts.ts'
import { certificates } from '../../contract.ts'
import { mailWords } from '../../mail-words.ts'
import { approvalPath, certificatePath, myRequestPath, serialPath } from '../../paths.ts'
import { approvalKind, daysLeft, dueNotice, inBrackets, noticeDays } from '../../rules.ts'
import { changeCertificate } from '../inventory/certificate-store.ts'
import { endingBy, type Listed } from '../inventory/inventory-store.ts'
import type { RequestRecord } from '../store.ts'

type Mail = Pick<NewMail, 'kind' | 'subject' | 'text'> & { link: string }

async function tell(db: Database, tenantId: string, userIds: readonly string[], mail: Mail, now: Date): Promise<void> {
  for (const person of await findPeople(db, tenantId, [...new Set(userIds)])) {
    if (person.enabled) await queueMail({ db, tenantId, now }, { to: { userId: person.id, emailAddress: person.emailAddress }, ...mail })
  }
}

/** Everybody who may approve and can sign in, but those named: the requester and the holder. */
const otherApprovers = async (db: Database, tenantId: string, but: readonly (string | null | undefined)[]): Promise<string[]> =>
  (await peopleWhoMay(db, tenantId, 'certApprovals', but)).map(({ id }) => id)

/** Everybody who may approve, but the requester and the holder. */
export async function tellApprovers(
  db: Database,
  house: House,
  request: Pick<
    RequestRecord,
    'tenant_id' | 'id' | 'requester_id' | 'holder_user_id' | 'requester' | 'subject' | 'template_name' | 'approvers_needed'
  >,
  now: Date,
): Promise<void> {
  await tell(
    db,
    request.tenant_id,
    await otherApprovers(db, request.tenant_id, [request.requester_id, request.holder_user_id]),
    {
      kind: 'approvalWaiting',
      subject: message(mailWords.approval.subject, { subject: request.subject }),
      text: message(mailWords.approval.text, {
        requester: request.requester,
        template: inBrackets(request.template_name),
        subject: request.subject,
        count: request.approvers_needed,
      }),
      link: linkTo(house, approvalPath(request.id)),
    },
    now,
  )
}

/** Who decided about a request and what they wrote, as paragraphs of a mail; none where nobody was asked. */
export async function decisionLines(db: Database, tenantId: string, requestId: string): Promise<Message[][]> {
  const opened = await findApprovalOf(db, { tenantId, kind: approvalKind, subjectId: requestId }, { userId: '', permissions: [] })
  const { vote } = mailWords
  const said = (opened?.votes ?? [])
    .filter((one) => !one.void)
    .map(({ voter, verdict, comment }) =>
      comment === '' ? message(vote[verdict], { voter }) : message(vote[`${verdict}With`], { voter, comment }),
    )
  return said.length === 0 ? [] : [said]
}

/** The request was agreed to and its key can be fetched, somebody else issued the certificate, or it was denied. */
export async function tellDecision(
  db: Database,
  house: House,
  request: RequestRecord,
  decision: 'ready' | 'elsewhere' | 'denied',
  now: Date,
): Promise<void> {
  const said = decision === 'elsewhere' ? [] : await decisionLines(db, request.tenant_id, request.id)
  const { subject } = request
  const text = decision === 'ready' && request.plan.extensions.keyArchival === true ? mailWords.ready.archived : mailWords[decision].text
  await tell(
    db,
    request.tenant_id,
    [request.requester_id, ...(decision !== 'denied' && request.holder_user_id !== null ? [request.holder_user_id] : [])],
    {
      kind: 'requestDecided',
      subject: message(mailWords[decision].subject, { subject }),
      text: [message(text, { subject }), ...said],
      link: linkTo(house, myRequestPath(request.entity, request.id)),
    },
    now,
  )
}

/** Job: tells holders and requesters 30, 7 and 1 days before the end, each once, in one mail about all that are due. */
export async function tellOfExpiry({ house, tenantId }: TenancyTurn): Promise<void> {
  const now = house.now()
  const until = new Date(now.getTime() + Math.max(...noticeDays) * 86_400_000)
  let notified = 0
  for (let after: Listed | undefined; ;) {
    const batch: Listed[] = await house.work(tenantId, { name: 'Expiry notices' }, async ({ db, emitFor }) => {
      const ending = await endingBy(db, tenantId, now, until, after)
      const due: Listed[] = []
      for (const certificate of ending) {
        const days = dueNotice(certificate.not_after, now, certificate.notices_sent)
        if (days === undefined) continue
        due.push(certificate)
        await changeCertificate(db, tenantId, certificate.id, { notices_sent: [...certificate.notices_sent, days] })
        emitFor(certificates)('expiryNoticed', { certificateId: certificate.id, days }, certificate.id)
        notified += 1
      }
      await tellOfEnds(db, house, tenantId, due, now)
      return ending
    })
    after = batch.at(-1)
    if (batch.length < 500) break
  }
}

/** Where this person may read of it: who sees no certificates has the own ones with what was asked for. */
export async function pathFor(
  db: Database,
  personId: string,
  certificate: Pick<Listed, 'tenant_id' | 'id' | 'ca_id' | 'serial_hex' | 'request_id' | 'entity'>,
): Promise<string> {
  const { view, own } = certificates.screens
  const rights = await rightsOf(db, { userId: personId, homeTenantId: certificate.tenant_id }, certificate.tenant_id)
  if (rights?.permission.View.includes(view.needs) === true) return viewPath(certificate)
  return certificate.request_id === null ? to(own) : myRequestPath(certificate.entity, certificate.request_id)
}

/** Where this person finds what expires: in the inventory, or among the own certificates. */
async function listFor(db: Database, personId: string, tenantId: string): Promise<string> {
  const { view, own } = certificates.screens
  const rights = await rightsOf(db, { userId: personId, homeTenantId: tenantId }, tenantId)
  return rights?.permission.View.includes(view.needs) === true
    ? `${fillPath(searchScreen.path, { searchType: 'certificate' })}?status=expiring`
    : to(own)
}

export const viewPath = ({ id, ca_id, serial_hex }: Pick<Listed, 'id' | 'ca_id' | 'serial_hex'>): string =>
  ca_id === null ? certificatePath(id) : serialPath(ca_id, serial_hex)

const valuesOf = (certificate: Listed, now: Date) => ({
  name: certificate.name,
  template: inBrackets(certificate.template_name),
  days: Math.max(0, daysLeft(certificate.not_after, now)),
  end: certificate.not_after,
})

/** Lines of one mail; who has more of them reads the rest in the list. */
const mostLines = 50

/** Writes one mail to each person about all of their certificates that are due, which come in the order of their ends. */
async function tellOfEnds(db: Database, house: House, tenantId: string, due: readonly Listed[], now: Date): Promise<void> {
  const ofPerson = new Map<string, Listed[]>()
  for (const certificate of due) {
    for (const personId of new Set([certificate.holder_user_id, certificate.requester_id].filter((id) => id !== null)))
      ofPerson.set(personId, [...(ofPerson.get(personId) ?? []), certificate])
    await tellContact(db, certificate, now)
  }
  for (const [personId, those] of ofPerson) {
    const [first, ...others] = those
    if (first === undefined) continue
    const lines = those.slice(0, mostLines).map((one) => message(mailWords.expires.line, valuesOf(one, now)))
    const more = those.length - lines.length
    const mail: Mail = {
      kind: 'certificateExpiring',
      subject:
        others.length === 0
          ? message(mailWords.expires.subject, valuesOf(first, now))
          : message(mailWords.expires.many, { ...valuesOf(first, now), count: those.length }),
      text: [[...lines, ...(more > 0 ? [message(mailWords.expires.more, { count: more })] : [])]],
      link: linkTo(house, await (others.length === 0 ? pathFor(db, personId, first) : listFor(db, personId, tenantId))),
    }
    await tell(db, tenantId, [personId], mail, now)
  }
}

/** Writes to the contact of an uploaded certificate, who need not have an account: without a link, and saying who named them. */
async function tellContact(db: Database, certificate: Listed, now: Date): Promise<void> {
  const { tenant_id: tenantId, contact_email: emailAddress } = certificate
  if (certificate.ca_id !== null || emailAddress === '') return
  const known = [certificate.holder_user_id, certificate.requester_id].filter((id) => id !== null)
  if ((await findPeople(db, tenantId, known)).some((person) => person.emailAddress.toLowerCase() === emailAddress.toLowerCase())) return
  const { name: tenancy = '' } = (await findTenancy(db, tenantId)) ?? {}
  await queueMail(
    { db, tenantId, now },
    {
      to: { emailAddress },
      kind: 'certificateExpiring',
      subject: message(mailWords.expires.subject, valuesOf(certificate, now)),
      text: message(mailWords.expires.contact, { ...valuesOf(certificate, now), tenancy }),
    },
  )
}
