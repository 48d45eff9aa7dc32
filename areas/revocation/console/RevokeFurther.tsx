import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { RadioField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { t } from '#core/console/text.ts'
import { reasonsToChoose } from '#standards/crl/reasons.ts'
import { revocation } from '../contract.ts'
import { reasonTexts } from '../rules.ts'

/** Beside a cross-certificate or link: the path over it is closed, the authority goes on. */
export function RevokeFurther({ certificateId, subject, revoked }: { certificateId: string; subject: string; revoked: boolean }) {
  const [asking, { open, close }] = useDisclosure(false)
  if (revoked) return null
  return (
    <>
      <Button size="compact-sm" variant="default" aria-label={t('Revoke the certificate of {subject}', { subject })} onClick={open}>
        {t('Revoke')}
      </Button>
      <Modal opened={asking} onClose={close} title={t('Revoke the certificate of {subject}?', { subject })}>
        <Form
          call={revocation.calls.revokeFurther}
          initial={{ certificateId }}
          submit={t('Revoke certificate')}
          cancel={{ label: t('Keep certificate'), onClick: close }}
          danger
          guard={false}
          invalidates={['authorities']}
          onDone={close}
        >
          {(form) => (
            <RadioField
              {...form.field('reason')}
              label={t('Reason')}
              hint={t('The path over this certificate is closed. The authority itself, and its other certificates, go on.')}
              required
              options={reasonsToChoose('authority').map((value) => ({ value, label: t(reasonTexts[value].label) }))}
            />
          )}
        </Form>
      </Modal>
    </>
  )
}
