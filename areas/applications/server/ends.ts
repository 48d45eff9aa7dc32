// Tells owners before an application ends, and ends it.

import { linkTo, queueMail } from '#areas/mail/service.ts'
import { membersOf } from '#areas/roles/service.ts'
import { findProgram, insertProgram } from '#areas/users/programs.ts'
import { findPeople, peopleWhoMay, type Person } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import type { House, TenancyTurn } from '#core/server/house.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { message, type Message } from '#core/server/texts.ts'
import { applications } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { dueNotice, noticeDays } from '../rules.ts'
import { deleteEndedSecrets, listEnding, listOwnedBy, updateApplication, type ApplicationRecord } from './store.ts'

const clerk = { name: 'Applications' }
const mostAddressed = 50

/** The owner, or the people of the role that owns it; where nobody of them can sign in, those who manage applications. */
async function ownersOf({ db, tenantId }: Tenancy, { owner_kind, owner_id }: ApplicationRecord): Promise<Person[]> {
  const ids = owner_kind === 'person' ? [owner_id] : (await membersOf(db, tenantId, owner_id)).slice(0, mostAddressed)
  const owners = (await findPeople(db, tenantId, ids)).filter(({ enabled }) => enabled)
  return owners.length > 0 ? owners : peopleWhoMay(db, tenantId, 'applications')
}

async function tell(tenancy: Tenancy, house: House, row: ApplicationRecord, mail: { subject: Message; text: Message }): Promise<void> {
  for (const { id, emailAddress } of await ownersOf(tenancy, row))
    await queueMail(tenancy, {
      to: { userId: id, emailAddress },
      kind: 'applicationEnding',
      ...mail,
      link: linkTo(house, to(applications.screens.view, { id: row.id })),
    })
}

/** Job: 30, 7 and 1 days before the end, each once, and at the end. */
export const tellOfEnds = ({ house, tenantId }: TenancyTurn): Promise<void> =>
  house.work(tenantId, clerk, async ({ tenancy, emitFor }) => {
    const { now } = tenancy
    await deleteEndedSecrets(tenancy)
    for (const row of await listEnding(tenancy, new Date(now.getTime() + noticeDays[0] * 86_400_000))) {
      if (row.ends_at === null) continue
      if (row.ends_at <= now) {
        await switchOff(tenancy, row)
        emitFor(applications)('ended', { applicationId: row.id, name: row.name }, row.id)
        await tell(tenancy, house, row, {
          subject: message(mailWords.ended.subject, { name: row.name }),
          text: message(mailWords.ended.text, { name: row.name }),
        })
        continue
      }
      const due = dueNotice(row.ends_at, row.notice_sent ?? undefined, now)
      if (due === undefined) continue
      await updateApplication(tenancy, row.id, { notice_sent: due })
      await tell(tenancy, house, row, {
        subject: message(mailWords.ending.subject, { name: row.name }),
        text: message(mailWords.ending.text, { name: row.name, end: row.ends_at }),
      })
    }
  })

async function switchOff(tenancy: Tenancy, { id }: ApplicationRecord): Promise<void> {
  await updateApplication(tenancy, id, { enabled: false })
  const program = await findProgram(tenancy, id)
  if (program !== undefined) await insertProgram(tenancy, { ...program, enabled: false })
}

/** What somebody owned goes on when the account is disabled; those who manage applications are told, so that it gets another owner. */
export const tellOfLostOwner = (house: House, tenantId: string, userId: string): Promise<void> =>
  house.work(tenantId, clerk, async ({ tenancy }) => {
    const owned = await listOwnedBy(tenancy, userId)
    if (owned.length === 0) return
    const names = owned.map(({ name }) => name).join(', ')
    for (const { id, emailAddress } of await peopleWhoMay(tenancy.db, tenantId, 'applications', [userId]))
      await queueMail(tenancy, {
        to: { userId: id, emailAddress },
        kind: 'applicationEnding',
        subject: message(mailWords.ownerless.subject),
        text: message(mailWords.ownerless.text, { names }),
        link: linkTo(house, to(applications.screens.list)),
      })
  })
