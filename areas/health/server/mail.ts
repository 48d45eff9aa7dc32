// Sends one mail for each authority and run of the health job, to everybody who may manage authorities and subscribes to it.

import { authorities as authoritiesRoom } from '#areas/authorities/contract.ts'
import { linkTo, queueMail } from '#areas/mail/service.ts'
import { peopleWhoMay } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { message } from '#core/server/texts.ts'
import { mailWords } from '../mail-words.ts'
import { checkLabels, findingText, type CheckKind, type Finding } from '../rules.ts'
import type { CheckRow } from './store.ts'

export type News = { caId: string; kind: CheckKind; finding: Finding; news: 'worse' | 'well' }

type Notice = {
  tenantId: string
  authorities: readonly { caId: string; friendlyName: string }[]
  news: readonly News[]
  checks: readonly CheckRow[]
}

/** True where a mail was queued for somebody. An authority is in order again when nothing else is wrong with it. */
export async function tellOfHealth(db: Database, house: House, { tenantId, authorities, news, checks }: Notice, now: Date): Promise<void> {
  const mails = [...Map.groupBy(news, ({ caId }) => caId)].flatMap(([caId, all]) => {
    const name = authorities.find((authority) => authority.caId === caId)?.friendlyName ?? ''
    const worse = all.filter((one) => one.news === 'worse')
    const link = linkTo(house, to(authoritiesRoom.screens.manage, { id: caId }))
    if (worse.length > 0)
      return [
        {
          subject: message(mailWords.worse.subject, { name }),
          text: [
            worse.map(({ kind, finding }) => message(mailWords.line, { label: checkLabels[kind].label, finding: findingText(finding) })),
          ],
          link,
        },
      ]
    if (checks.some((check) => check.ca_id === caId && check.state !== 'ok')) return []
    return [
      {
        subject: message(mailWords.well.subject, { name }),
        text: [all.map(({ kind }) => message(mailWords.wellLine, { label: checkLabels[kind].label }))],
        link,
      },
    ]
  })
  if (mails.length === 0) return
  const readers = await peopleWhoMay(db, tenantId, 'manageCAs')
  for (const reader of readers)
    for (const mail of mails)
      await queueMail(
        { db, tenantId, now },
        { to: { userId: reader.id, emailAddress: reader.emailAddress }, kind: 'authorityHealth', ...mail },
      )
}
