// Fetches the key that was made here, with the certificates, in one file, once.

import { PasswordField, SwitchField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { saveFile } from '#core/console/save-file.ts'
import { t } from '#core/console/text.ts'
import { ordering } from '../contract.ts'

type Values = { id: string; password: string; legacy: boolean }

export function CollectOrderedKey({ orderId }: { orderId: string }) {
  return (
    <Section
      title={t('Collect key and certificate')}
      intro={t('The key is kept here until you collect it: once, in a PKCS#12 file under a password of your choice.')}
    >
      <Form
        call={ordering.calls.collectKey}
        initial={{ id: orderId, password: '', legacy: false }}
        toInput={({ legacy, ...draft }: Values) => ({ ...draft, form: legacy ? ('legacy' as const) : ('modern' as const) })}
        submit={t('Download key')}
        guard={false}
        onDone={({ pkcs12, fileName }) => saveFile(fileOf(pkcs12), fileName)}
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
            <SwitchField {...form.field('legacy')} label={t('For old software')} />
          </>
        )}
      </Form>
    </Section>
  )
}

const fileOf = (base64: string): Blob =>
  new Blob([Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0) ?? 0)], { type: 'application/x-pkcs12' })
