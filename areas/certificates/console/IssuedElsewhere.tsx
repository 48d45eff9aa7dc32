// A request is answered with the certificate of another issuer. It is seldom wanted, so it stands folded below the decision.

import { Button, Collapse, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { longestCertificate } from '#areas/authorities/certificate-text.ts'
import { Form } from '#core/console/kit/Form.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { certificates } from '../contract.ts'

/** `others`: how many more must agree before this person, who would be the last. */
export function IssuedElsewhere({ requestId, others }: { requestId: string; others: number }) {
  const [open, { toggle }] = useDisclosure(false)
  if (others > 0)
    return (
      <Section title={t('Issued elsewhere?')}>
        <Text>
          {t(
            'Where another authority certified this key, that certificate can answer the request in the place of the last approval. {count, plural, one {Another approver} other {# other approvers}} must agree first.',
            { count: others },
          )}
        </Text>
      </Section>
    )
  return (
    <Section
      title={t('Issued elsewhere?')}
      intro={t('Where another authority certified this key, that certificate answers the request.')}
      actions={
        <Button variant="default" size="xs" aria-expanded={open} onClick={toggle}>
          {t('Record the certificate')}
        </Button>
      }
    >
      <Collapse expanded={open}>
        <Stack>
          <Form
            call={certificates.calls.recordElsewhere}
            initial={{ requestId, certificate: '' }}
            submit={t('Answer the request with it')}
            guard={false}
            invalidates={['approvals', 'home']}
            onDone={() => {}}
          >
            {(form) => (
              <PemInput
                {...form.field('certificate')}
                label={t('Certificate')}
                most={longestCertificate}
                kind="CERTIFICATE"
                required
                rows={6}
              />
            )}
          </Form>
        </Stack>
      </Collapse>
    </Section>
  )
}
