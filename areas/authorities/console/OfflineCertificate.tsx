import { Form } from '#core/console/kit/Form.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { longestChain } from '../certificate-text.ts'
import { authorities } from '../contract.ts'

/** A renewed certificate of an authority whose key is elsewhere. */
export function OfflineCertificate({ id }: { id: string }) {
  return (
    <Section
      title={t('Renew the certificate')}
      intro={t('Make it where the key is, with the same key and name. It replaces this one, also in the chains of the authorities below.')}
    >
      <Form
        call={authorities.calls.importCertificate}
        initial={{ caId: id, certificate: '' }}
        submit={t('Import certificate')}
        guard={false}
        onDone={() => {}}
      >
        {(form) => (
          <PemInput
            {...form.field('certificate')}
            label={t('New certificate')}
            hint={t('PEM or PKCS#7; for one that is no root with the certificates above it.')}
            required
            most={longestChain}
            rows={4}
            accept=".pem,.crt,.cer,.der,.p7b,.p7c,.txt"
          />
        )}
      </Form>
    </Section>
  )
}
