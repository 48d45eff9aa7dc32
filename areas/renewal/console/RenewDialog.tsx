// The question which key the new certificate is for. What the template does not allow is not offered.

import { Alert, Modal, Stack, Text } from '@mantine/core'
import { useNavigate } from 'react-router'
import { daysLeft } from '#areas/certificates/rules.ts'
import { longestRequest } from '#areas/templates/contract.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { RadioField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { useDrawn } from '#core/console/kit/Panel.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import { renewal, type RenewalInfo } from '../contract.ts'
import type { RenewalKeyName } from '../key-choices.ts'
import { useRenewedPath } from './renewed-path.ts'

type Values = { key: RenewalKeyName | undefined; csr: string | undefined }

const labels: Record<RenewalKeyName, () => { label: string; hint: string }> = {
  same: () => ({
    label: t('Keep the key'),
    hint: t('The new certificate is for the key that is in use. Only the certificate is replaced.'),
  }),
  made: () => ({ label: t('A new key, made here'), hint: t('It is collected together with its certificate.') }),
  brought: () => ({
    label: t('A new key of your own'),
    hint: t('Make it where the old one is used, and a certificate request (CSR) from it. The names stay those of the certificate.'),
  }),
}

export function RenewDialog({ info, opened, close }: { info: RenewalInfo; opened: boolean; close: () => void }) {
  // Opened once it is drawn, so that the kit remembers which button to give the focus back to.
  const drawn = useDrawn()
  return (
    <Modal opened={opened && drawn} onClose={close} title={t('Renew {name}', { name: info.name })} size="lg">
      <RenewForm info={info} close={close} />
    </Modal>
  )
}

const daysUntil = (at: string): number => daysLeft(new Date(at), new Date())

function RenewForm({ info, close }: { info: RenewalInfo; close: () => void }) {
  const { certificateId, keys, notAfter, opensAt, step } = info
  const navigate = useNavigate()
  const pathOf = useRenewedPath()
  const options = keys.map((value) => ({ value, ...labels[value]() }))
  const [only, ...others] = options
  const early = step === 'early'
  return (
    <Form
      call={renewal.calls.renew}
      initial={{ key: keys[0] }}
      toInput={({ key, csr }: Values) => ({ certId: certificateId, key, early, ...(key === 'brought' ? { csr: csr ?? '' } : {}) })}
      check={({ key, csr = '' }): Record<string, string> =>
        key === 'brought' && csr.trim() === '' ? { csr: t('Paste the certificate request (CSR) that you made from the new key') } : {}
      }
      submit={early ? t('Renew early') : t('Renew certificate')}
      cancel={{ label: t('Not now'), onClick: close }}
      guard={false}
      invalidates={['certificates', 'home']}
      onDone={({ state, key, findings, reason, ...renewed }) => {
        close()
        if (state === 'denied') return toast({ kind: 'error', title: t('The certificate was not renewed'), text: reason })
        toast({
          kind: 'success',
          title:
            state !== 'renewed'
              ? t('The renewal is requested')
              : key === 'same'
                ? t('The certificate is renewed, for the same key')
                : t('The certificate is renewed, for the new key'),
          text: findings.map(({ message }) => message).join('. '),
        })
        void navigate(pathOf(info, renewed))
      }}
    >
      {(form) => (
        <Stack gap="md">
          {early && (
            <Alert color="yellow" variant="light">
              {t(
                'It is early: this certificate lives for another {days, plural, one {# day} other {# days}}, and its time for renewal comes on',
                { days: daysUntil(notAfter) },
              )}{' '}
              <DateTime at={opensAt} />.
            </Alert>
          )}
          <Text size="sm">
            {t('A new certificate with the same names takes its place. The old one stays valid until')} <DateTime at={notAfter} />.
          </Text>
          {only !== undefined && others.length === 0 && (
            <Text size="sm">
              <strong>{only.label}.</strong> {only.hint}
            </Text>
          )}
          {others.length > 0 && <RadioField {...form.field('key')} label={t('Key of the new certificate')} required options={options} />}
          {form.values.key === 'brought' && (
            <PemInput
              {...form.field('csr')}
              label={t('Certificate request (CSR)')}
              most={longestRequest}
              kind="CERTIFICATE REQUEST"
              required
            />
          )}
        </Stack>
      )}
    </Form>
  )
}
