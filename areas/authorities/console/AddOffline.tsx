import { useNavigate } from 'react-router'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { longestChain } from '../certificate-text.ts'
import { authorities } from '../contract.ts'
import { authorityPath, listPath } from './paths.ts'

export function AddOffline() {
  const navigate = useNavigate()
  return (
    <Page
      title={t('Add an offline authority')}
      intro={t(
        'Its key is never here: in a vault, on a machine without a network, with another department. Chancery knows its certificate, brings requests to it, and publishes the lists that it has signed.',
      )}
      narrow
    >
      <Section>
        <Form
          call={authorities.calls.addOffline}
          initial={{ friendlyName: '', certificate: '' }}
          submit={t('Add offline authority')}
          cancel={{ label: t('Cancel'), to: listPath() }}
          onDone={({ caId }) => navigate(authorityPath(caId))}
        >
          {(form) => (
            <>
              <TextField
                {...form.field('friendlyName')}
                label={t('Name in Chancery')}
                hint={t('Shown in lists, and can be changed.')}
                required
              />
              <PemInput
                {...form.field('certificate')}
                label={t('Its certificate')}
                hint={t('PEM or PKCS#7. For an authority that is no root, those above it, too.')}
                required
                most={longestChain}
                accept=".pem,.crt,.cer,.der,.p7b,.p7c,.txt"
              />
            </>
          )}
        </Form>
      </Section>
    </Page>
  )
}
