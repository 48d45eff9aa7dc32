import { health } from '#areas/health/contract.ts'
import { TextLink } from '#core/console/kit/links.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { home } from '../contract.ts'

/** Authorities whose lists, answers, keys or lives are not in order: a number that leads to them. */
export function AuthoritiesInTrouble() {
  const query = useCall(home.calls.waiting, {}, { refetchMilliseconds: 60_000 })
  const count = query.data?.authorities ?? 0
  if (count === 0) return null
  return (
    <Section title={t('Authorities that need attention')}>
      <TextLink to={to(health.screens.overview, {}, { state: ['failing', 'late'] })}>
        {t('{count, plural, one {# authority needs attention} other {# authorities need attention}}', { count })}
      </TextLink>
    </Section>
  )
}
