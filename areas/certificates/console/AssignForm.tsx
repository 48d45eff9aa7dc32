// Who answers for a certificate, and its tags.

import { Modal } from '@mantine/core'
import { PersonField } from '#areas/users/PersonField.tsx'
import { TagsField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { t } from '#core/console/text.ts'
import { certificates } from '../contract.ts'

export type AssignFormProps = {
  certificateId: string
  name: string
  owner: string
  tags: readonly string[]
  opened: boolean
  close: () => void
}

/** Stands in the field where an owner is to go. */
const nobody = '-'

type Values = { owner: string; tags: string[] }

export function AssignForm({ certificateId, name, owner, tags, opened, close }: AssignFormProps) {
  return (
    <Modal opened={opened} onClose={close} title={t('Owner and tags of {name}', { name })}>
      <Form
        call={certificates.calls.assign}
        initial={{ owner: '', tags: [...tags] }}
        // An empty field leaves the owner as it is, since a name that is shown is no username.
        toInput={({ owner: typed, tags: chosen }: Values) => ({
          certificateId,
          tags: chosen,
          ...(typed.trim() === '' ? {} : { owner: typed.trim() === nobody ? '' : typed.trim() }),
        })}
        submit={t('Save owner and tags')}
        cancel={{ label: t('Cancel'), onClick: close }}
        guard={false}
        onDone={close}
      >
        {(form) => (
          <>
            <PersonField
              {...form.field('owner')}
              label={t('Owner')}
              hint={t('The person who answers for it.')}
              placeholder={owner === '' ? t('Nobody') : owner}
              others={owner === '' ? [] : [{ value: nobody, label: t('Nobody') }]}
              typed={{
                label: t('Owner'),
                hint:
                  owner === ''
                    ? t('The username of the person who answers for it.')
                    : t('Today {owner}. Enter another username, or - for nobody.', { owner }),
              }}
            />
            <TagsField
              {...form.field('tags')}
              label={t('Tags')}
              hint={t('Words of your own, such as a project or a cost centre. Enter adds one.')}
            />
          </>
        )}
      </Form>
    </Modal>
  )
}
