// The way of a certificate that an outside authority signs: take the request there, bring the answer back.

import { Group, Text } from '@mantine/core'
import { Copy } from '#core/console/kit/Copy.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { PemText } from '#core/console/kit/PemText.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { LoadingState } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { fileStem } from '#core/console/save-file.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import { longestChain } from '../certificate-text.ts'
import { authorities } from '../contract.ts'
import { fileBlob } from './file-blob.ts'

export function ExternalCertificate({
  id,
  name,
  request,
  issuerId,
  certified,
}: {
  id: string
  name: string
  request: string | undefined
  issuerId: string | undefined
  certified: boolean
}) {
  const stem = fileStem(name)
  const above = useCall(authorities.calls.view, { caId: issuerId ?? '' }, { enabled: issuerId !== undefined }).data?.friendlyName
  return (
    <>
      <Section
        title={
          certified
            ? t('The request')
            : above === undefined
              ? t('1. Take the request to the outside authority')
              : t('1. Take the request to {name}', { name: above })
        }
        intro={t('It is signed with the key of this authority, which never leaves Chancery.')}
        actions={
          request !== undefined && (
            <Group gap="xs">
              <Copy value={request} label={t('Request')} />
              <DownloadButton
                label={t('Download request')}
                fileName={`${stem}.csr`}
                size="xs"
                from={() => new Blob([request], { type: 'application/pkcs10' })}
              />
              <DownloadButton
                label={t('Download request sheet')}
                fileName={`${stem}-request.pem`}
                size="xs"
                from={async () => fileBlob(await send(authorities.calls.requestSheet, { caId: id }))}
              />
            </Group>
          )
        }
      >
        {request === undefined ? <LoadingState lines={2} /> : <PemText label={t('Request')} value={request} />}
      </Section>
      <Section title={certified ? t('Renew the certificate') : t('2. Bring back the certificate')}>
        {certified && (
          <Text size="sm">
            {t('A new certificate for the same key and name replaces this one, also in the chains of the authorities below.')}
          </Text>
        )}
        <Form
          call={authorities.calls.importCertificate}
          initial={{ caId: id, certificate: '' }}
          submit={t('Import certificate')}
          invalidates={['templates']}
          onDone={({ remarks }) =>
            remarks.forEach(({ message }) => toast({ kind: 'info', title: t('One remark on the certificate'), text: message }))
          }
        >
          {(form) => (
            <PemInput
              {...form.field('certificate')}
              label={t('Certificate and those above it')}
              hint={t('PEM or PKCS#7, in any order. At least the certificate that signed this one must be with it.')}
              required
              most={longestChain}
              rows={6}
              accept=".pem,.crt,.cer,.der,.p7b,.p7c,.txt"
            />
          )}
        </Form>
      </Section>
    </>
  )
}
