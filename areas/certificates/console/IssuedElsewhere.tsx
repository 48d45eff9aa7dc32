// A request is answered with the certificate of another issuer. It is seldom wanted, so it stands folded below the decision.

import { Button, Collapse, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Form } from '#core/console/kit/Form.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { certificates } from '../contract.ts'

export function IssuedElsewhere({ requestId }: { requestId: string }) {
  const [open, { toggle }] = useDisclosure(false)
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
          <Form call={certificates.calls.recordElsewhere} initial={{ requestId, certificate: '' }} submit={t('Answer the request with it')} guard={false} invalidates={['approvals', 'home']} onDone={() => {}}>
            {(form) => <PemInput {...form.field('certificate')} label={t('Certificate')} kind="CERTIFICATE" required rows={6} />}
          </Form>
        </Stack>
      </Collapse>
    </Section>
  )
}
