// Deletes an organisation, or says what still hangs on it, each with a way there.

import { Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { ConfirmDialog } from '#core/console/kit/ConfirmDialog.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { organisations } from '../contract.ts'

export function DeleteDialog({ row, onClose, onDone }: { row: { id: string; name: string }; onClose: () => void; onDone: () => void }) {
  const query = useCall(organisations.calls.dependants, { id: row.id })
  const remove = useSend(organisations.calls.remove)
  if (query.data?.blocks === false)
    return (
      <ConfirmDialog
        opened
        onClose={onClose}
        title={t('Delete {name}?', { name: row.name })}
        consequence={t('It is gone from the tree, with the roles that were given in it. This cannot be undone.')}
        action={t('Delete organisation')}
        keep={t('Keep organisation')}
        danger
        onConfirm={async () => {
          await remove.run({ id: row.id })
          onDone()
        }}
      />
    )
  return (
    <Modal opened onClose={onClose} title={t('{name} cannot be deleted yet', { name: row.name })}>
      <Loaded query={query}>
        {({ counts }) => (
          <Stack gap="md">
            <Text>{t('Move these, merge them into another or delete them first:')}</Text>
            <List>
              {counts.map(({ kind, count, path }) => (
                <List.Item key={kind}>
                  <TextLink to={path} onClick={onClose}>
                    {t('{kind}: {count, number}', { kind: t(kind), count })}
                  </TextLink>
                </List.Item>
              ))}
            </List>
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {t('Close')}
              </Button>
            </Group>
          </Stack>
        )}
      </Loaded>
    </Modal>
  )
}
