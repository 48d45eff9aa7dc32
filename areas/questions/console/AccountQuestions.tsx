// Secret questions on the page of the own account.

import { Text } from '@mantine/core'
import { useMay, useViewer } from '#core/console/bootstrap.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { questions } from '../contract.ts'

export function AccountQuestions() {
  const viewer = useViewer()
  const may = useMay()
  if (viewer.tenantId !== viewer.homeTenantId || !may('selfServicePortal', 'View')) return null
  return (
    <Section
      title={t('Secret questions')}
      actions={
        <LinkButton variant="default" size="xs" to={to(questions.screens.mine)}>
          {t('Manage secret questions')}
        </LinkButton>
      }
    >
      <Text size="sm">{t('Their answers prove that it is you when you have forgotten your password.')}</Text>
    </Section>
  )
}
