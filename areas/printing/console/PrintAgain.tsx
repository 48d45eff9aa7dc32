// Asks why a card is printed again, over the list that it stands in.

import { Modal } from '@mantine/core'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { t } from '#core/console/text.ts'
import { printing } from '../contract.ts'

export function PrintAgain({ card, onClose }: { card: { id: string; userName: string }; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={t('Print the card of {name} again', { name: card.userName })}>
      <Form
        call={printing.calls.reprint}
        initial={{ printedCardId: card.id, reason: '' }}
        submit={t('Print again')}
        cancel={{ label: t('Cancel'), onClick: onClose }}
        guard={false}
        onDone={onClose}
      >
        {(form) => <TextField {...form.field('reason')} label={t('Why')} hint={t('What became of the first one')} required />}
      </Form>
    </Modal>
  )
}
