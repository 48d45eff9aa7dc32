import { useViewer } from '#core/console/bootstrap.ts'
import { Section } from '#core/console/kit/Section.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { mtls } from '../contract.ts'
import { SignInCertificates } from './SignInCertificates.tsx'

/** On the page of the own account, where somebody signs in by certificate at all. */
export function OwnCertificates() {
  const viewer = useViewer()
  const { data } = useCall(mtls.calls.offered, {})
  if (data?.offered !== true) return null
  return (
    <Section title={t('Certificate sign-in')} intro={t('Which of your certificates sign you in.')}>
      <SignInCertificates userId={viewer.id} />
    </Section>
  )
}
