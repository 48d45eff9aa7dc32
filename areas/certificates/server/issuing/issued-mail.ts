// The mail about the end of a request: to whoever asked, that there is a certificate, or that there will be none.

import { linkTo, queueMail } from '#areas/mail/service.ts'
import { findPerson } from '#areas/users/service.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { message } from '#core/server/texts.ts'
import { mailWords } from '../../mail-words.ts'
import { myRequestPath } from '../../paths.ts'
import { decisionLines, pathFor } from '../requests/notices.ts'
import { findRequest } from '../requests/request-store.ts'
import type { CertificateRecord, RequestRecord } from '../store.ts'

export async function tellIssued(db: Database, house: House, record: CertificateRecord, now: Date): Promise<void> {
  const requester = record.requester_id === null ? undefined : await findPerson(db, record.tenant_id, record.requester_id)
  if (requester === undefined) return
  const request = record.request_id === null ? undefined : await findRequest(db, record.tenant_id, record.request_id)
  const renewed = request !== undefined && request.renews !== null
  const { subject, text } = renewed ? mailWords.renewed : mailWords.issued
  const path = renewed ? myRequestPath(record.entity, request.id) : await pathFor(db, requester.id, record)
  await queueMail(
    { db, tenantId: record.tenant_id, now },
    {
      to: { userId: requester.id, emailAddress: requester.emailAddress },
      kind: 'requestDecided',
      subject: message(subject, { name: record.name }),
      text: [
        message(text, { name: record.name, authority: record.ca_name, end: record.not_after }),
        ...(record.request_id === null ? [] : await decisionLines(db, record.tenant_id, record.request_id)),
      ],
      link: linkTo(house, path),
    },
  )
}

export async function tellFailure(db: Database, request: RequestRecord, reason: string, now: Date): Promise<void> {
  const requester = await findPerson(db, request.tenant_id, request.requester_id)
  if (requester === undefined) return
  await queueMail(
    { db, tenantId: request.tenant_id, now },
    {
      to: { userId: requester.id, emailAddress: requester.emailAddress },
      kind: 'requestDecided',
      subject: message(mailWords.failed.subject, { subject: request.subject }),
      text: message(mailWords.failed.text, { subject: request.subject, reason }),
    },
  )
}
