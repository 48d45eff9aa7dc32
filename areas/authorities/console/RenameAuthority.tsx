import { Modal } from '@mantine/core'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { t } from '#core/console/text.ts'
import { authorities } from '../contract.ts'

export function RenameAuthority({
  id,
  friendlyName,
  opened,
  onClose,
}: {
  id: string
  friendlyName: string
  opened: boolean
  onClose: () => void
}) {
  return (
    <Modal opened={opened} onClose={onClose} title={t('Rename authority')}>
      <Form
        call={authorities.calls.rename}
        initial={{ caId: id, friendlyName }}
        submit={t('Rename authority')}
        cancel={{ label: t('Keep the name'), onClick: onClose }}
        invalidates={['templates', 'certificates']}
        guard={false}
        onDone={onClose}
      >
        {(form) => (
          <TextField
            {...form.field('friendlyName')}
            label={t('Name in Chancery')}
            hint={t('Certificates keep the subject of the authority: only lists change.')}
            required
          />
        )}
      </Form>
    </Modal>
  )
}
