// Two questions about a card: whose it will be, and why it is suspended.

import { Modal, Text } from '@mantine/core'
import { usePersonSearch } from '#areas/users/person-search.tsx'
import { SelectField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import { smartcards } from '../contract.ts'
import { cardNamed } from './card-id.ts'

type DialogProps = { card: { serial: string }; opened: boolean; onClose: () => void }
type Assigning = { user_id: string | undefined; card_template_id: string | undefined }

export function AssignDialog({ card: { serial }, opened, onClose }: DialogProps) {
  const { options, onSearch } = usePersonSearch()
  const templates = useCall(smartcards.calls.templateNames, {}, { enabled: opened }).data?.cardTemplates ?? []
  return (
    <Modal opened={opened} onClose={onClose} title={t('Assign the card {serial}', { serial })}>
      <Form
        call={smartcards.calls.assign}
        initial={{ user_id: undefined, card_template_id: undefined }}
        toInput={(values: Assigning) => ({
          card_id: cardNamed(serial),
          user_id: values.user_id ?? '',
          card_template_id: values.card_template_id ?? '',
        })}
        submit={t('Assign card')}
        cancel={{ label: t('Cancel'), onClick: onClose }}
        guard={false}
        onDone={onClose}
      >
        {(form) => (
          <>
            <Text size="sm">
              {t('This person can issue the card to themselves, with a reader and a PIN of their own; or the card desk does.')}
            </Text>
            <SelectField
              {...form.field('user_id')}
              label={t('Person')}
              hint={t('Type a part of a name')}
              options={options}
              onSearch={onSearch}
              required
            />
            <SelectField
              {...form.field('card_template_id')}
              label={t('Template')}
              options={templates.map(({ cardTemplateId, name }) => ({ value: cardTemplateId, label: name }))}
              required
            />
          </>
        )}
      </Form>
    </Modal>
  )
}

export function SuspendDialog({ card: { serial }, opened, onClose }: DialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={t('Suspend the card {serial}?', { serial })}>
      <Form
        call={smartcards.calls.suspend}
        initial={{ card_id: cardNamed(serial), reason: '' }}
        submit={t('Suspend card')}
        cancel={{ label: t('Cancel'), onClick: onClose }}
        guard={false}
        quiet
        invalidates={['certificates']}
        onDone={({ certRevokeError }) => {
          if (certRevokeError === undefined) toast({ kind: 'success', title: t('Successfully updated card status') })
          else toast({ kind: 'error', title: t('Unable to update card status'), text: certRevokeError })
          onClose()
        }}
      >
        {(form) => (
          <>
            <Text size="sm">
              {t('Its certificates go on hold: whoever verifies one refuses it until the card is taken back into use.')}
            </Text>
            <TextField {...form.field('reason')} label={t('Reason')} required />
          </>
        )}
      </Form>
    </Modal>
  )
}
