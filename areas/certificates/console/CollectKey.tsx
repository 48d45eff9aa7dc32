// Fetches key and certificate in one file, once. The file is saved before anything else happens: nobody hands it out again.

import { Alert, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '#core/console/bootstrap.ts'
import { PasswordField, SwitchField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { saveFile } from '#core/console/save-file.ts'
import { t } from '#core/console/text.ts'
import { certificates } from '../contract.ts'
import { certificatePath } from '../paths.ts'
import { decodedFile } from './decoded-file.ts'

type Values = { requestId: string; password: string; legacy: boolean }

export function CollectKey({ requestId, onCollected }: { requestId: string; onCollected?: () => void }) {
  const may = useMay()
  const [collected, setCollected] = useState<{ certificateId: string; fileName: string; archived: boolean }>()
  if (collected !== undefined)
    return (
      <Alert color="green" variant="light" title={t('{file} is saved', { file: collected.fileName })}>
        <Stack gap="xs" align="flex-start">
          <Text inherit>
            {collected.archived
              ? t(
                  'It holds the key and the certificates, under your password. A sealed copy of the key is archived; to recover it, others must agree.',
                )
              : t('It holds the key and the certificates, under your password. There is no second copy: keep it safe.')}
          </Text>
          {may('certView', 'View') && (
            <LinkButton size="xs" variant="default" to={certificatePath(collected.certificateId)}>
              {t('Show certificate')}
            </LinkButton>
          )}
        </Stack>
      </Alert>
    )
  return (
    <Section
      title={t('Collect key and certificate')}
      intro={t('The key is made now and handed out once, in a PKCS#12 file under a password of your choice.')}
    >
      <Form
        call={certificates.calls.collectKey}
        initial={{ requestId, password: '', legacy: false }}
        toInput={({ legacy, ...draft }: Values) => ({ ...draft, form: legacy ? ('legacy' as const) : ('modern' as const) })}
        submit={t('Make key and download')}
        guard={false}
        onDone={({ pkcs12, fileName, certificateId, archived }) => {
          saveFile(decodedFile({ content: pkcs12, mediaType: 'application/x-pkcs12' }), fileName)
          setCollected({ certificateId, fileName, archived })
          onCollected?.()
        }}
      >
        {(form) => (
          <>
            <PasswordField
              {...form.field('password')}
              label={t('Password for the file')}
              hint={t('You need it to open the file. Nobody can tell it to you later.')}
              autoComplete="new-password"
              required
            />
            <SwitchField
              {...form.field('legacy')}
              label={t('For old software')}
              hint={t(
                'Windows before 2019, old Java and Android open only files with triple DES and SHA-1, which protect the key less. Delete the file once it is installed.',
              )}
            />
          </>
        )}
      </Form>
    </Section>
  )
}
