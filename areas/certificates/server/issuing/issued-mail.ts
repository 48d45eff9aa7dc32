// The mail about the end of a request: to whoever asked, that there is a certificate, or that there will be none.

import { linkTo, queueMail } from '#areas/mail/service.ts'
import { findPerson } from '#areas/users/service.ts'
import { dayText } from '#core/contract/days.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { myRequestPath } from '../../paths.ts'
import { decisionText, pathFor } from '../requests/notices.ts'
import { findRequest } from '../requests/request-store.ts'
import type { CertificateRecord, RequestRecord } from '../store.ts'

export async function tellIssued(db: Database, house: House, record: CertificateRecord, now: Date): Promise<void> {
  const requester = record.requester_id === null ? undefined : await findPerson(db, record.tenant_id, record.requester_id)
  if (requester === undefined) return
  const request = record.request_id === null ? undefined : await findRequest(db, record.tenant_id, record.request_id)
  const end = `It is valid until ${dayText(record.not_after)}.`
  const mail =
    request === undefined || request.renews === null
      ? {
          subject: `Certificate issued: ${record.name}`,
          text: `The certificate for ${record.name} that you requested was issued by ${record.ca_name}. ${end}`,
          path: await pathFor(db, requester.id, record),
        }
      : {
          subject: `Certificate renewed: ${record.name}`,
          text: `The certificate for ${record.name} was renewed by ${record.ca_name}. ${end} Fetch the new one and put it in the place of the old one, which ends soon.`,
          path: myRequestPath(record.entity, request.id),
        }
  await queueMail(
    { db, tenantId: record.tenant_id, now },
    {
      to: { userId: requester.id, emailAddress: requester.emailAddress },
      kind: 'requestDecided',
      subject: mail.subject,
      text: `${mail.text}${record.request_id === null ? '' : await decisionText(db, record.tenant_id, record.request_id)}`,
      link: linkTo(house, mail.path),
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
      subject: `Certificate not issued: ${request.subject}`,
      text: `Your request for ${request.subject} was agreed to, but could not be issued: ${reason}.`,
    },
  )
}
