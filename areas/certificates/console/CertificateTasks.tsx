// In self-service: the person's certificates that end soon, and keys that wait to be collected.

import { IconCertificate, IconKey } from '@tabler/icons-react'
import { momentText, relativeTime } from '#core/console/kit/DateTime.tsx'
import { TaskLink } from '#core/console/kit/TaskLink.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { grantedAtHome } from '../at-home.ts'
import { certificateLinks } from '../certificate-actions.ts'
import { certificates } from '../contract.ts'
import { myRequestPath } from '../paths.ts'
import { plainSubject } from '../plain-subject.ts'

const ending = { status: ['expiring'], sort: 'notAfter', direction: 'asc', size: 5 } as const

export function CertificateTasks() {
  const keys = useCall(certificates.calls.requests, grantedAtHome).data?.rows ?? []
  const held = useCall(certificates.calls.own, { ...ending, status: [...ending.status] }).data?.rows ?? []
  return (
    <>
      {keys.map(({ requestId, entity, subject, templateName, createdAt }) => (
        <TaskLink
          key={requestId}
          icon={IconKey}
          urgent
          says={t('Your certificate {name} is granted: collect it', { name: plainSubject(subject) })}
          why={t('{template}, asked for on {when}', { template: templateName, when: momentText(createdAt) })}
          to={myRequestPath(entity, requestId)}
        />
      ))}
      {held
        .filter(({ renewed }) => !renewed)
        .map((row) => (
          <TaskLink
            key={row.certificateId}
            icon={IconCertificate}
            urgent
            says={t('Your certificate {name} ends {when}', { name: row.name, when: relativeTime(row.notAfter) })}
            why={t('Renew it before, so that nothing stops.')}
            to={
              certificateLinks()
                .map(({ to: pathTo }) => pathTo({ ...row, caId: row.caId, renewed: row.renewed }))
                .find((path) => path !== undefined) ?? to(certificates.screens.own)
            }
          />
        ))}
    </>
  )
}
