// One certificate of an authority that is not ours, handed in with a name for it.

import { Modal, Stack } from '@mantine/core'
import { longestCertificate } from '#areas/authorities/certificate-text.ts'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { t } from '#core/console/text.ts'
import { licensing } from '../contract.ts'

type Props = { opened: boolean; onClose: () => void }

export function RegisterDialog({ opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={t('Register an authority')} size="lg" closeButtonProps={{ 'aria-label': t('Close') }}>
      <Form
        call={licensing.calls.register}
        initial={{ friendlyName: '', certificate: '' }}
        submit={t('Register authority')}
        cancel={{ label: t('Cancel'), onClick: onClose }}
        guard={false}
        onDone={onClose}
      >
        {(form) => (
          <Stack gap="sm">
            <TextField {...form.field('friendlyName')} label={t('Name')} hint={t('What people here call it')} required />
            <PemInput {...form.field('certificate')} label={t('Certificate')} most={longestCertificate} kind="CERTIFICATE" />
          </Stack>
        )}
      </Form>
    </Modal>
  )
}

export function RootDialog({ opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={t('Accept a root')} size="lg" closeButtonProps={{ 'aria-label': t('Close') }}>
      <Form
        call={licensing.calls.addRoot}
        initial={{ manufacturer: '', certificate: '' }}
        submit={t('Accept root')}
        cancel={{ label: t('Cancel'), onClick: onClose }}
        guard={false}
        onDone={onClose}
      >
        {(form) => (
          <Stack gap="sm">
            <TextField {...form.field('manufacturer')} label={t('Manufacturer')} hint={t('Whose TPMs this root certifies')} required />
            <PemInput {...form.field('certificate')} label={t('Root certificate')} most={longestCertificate} kind="CERTIFICATE" />
          </Stack>
        )}
      </Form>
    </Modal>
  )
}
