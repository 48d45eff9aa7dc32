// What only the person oneself can end: a request that was granted, and whose key is made when it is collected.

import { Stack } from '@mantine/core'
import { momentText } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { grantedAtHome } from '../at-home.ts'
import { certificates } from '../contract.ts'
import { myRequestPath } from '../paths.ts'
import { plainSubject } from '../plain-subject.ts'

export function WaitingKeys() {
  const { data } = useCall(certificates.calls.requests, grantedAtHome)
  const rows = data?.rows ?? []
  if (rows.length === 0) return null
  return (
    <Section title={t('Waiting for you')} intro={t('Granted. The key is made when you collect it, and the certificate with it.')}>
      <Stack gap="xs" align="flex-start">
        {rows.map(({ requestId, entity, subject, templateName, createdAt }) => (
          <TextLink key={requestId} to={myRequestPath(entity, requestId)}>
            {t('Collect the key of {subject} ({template}), asked for on {when}', {
              subject: plainSubject(subject),
              template: templateName,
              when: momentText(createdAt),
            })}
          </TextLink>
        ))}
      </Stack>
    </Section>
  )
}
