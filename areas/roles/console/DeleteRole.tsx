// Deletes a role and says who loses it, or what still names it, each with a way there.

import { Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { refreshBootstrap } from '#core/console/bootstrap.ts'
import { ConfirmDialog } from '#core/console/kit/ConfirmDialog.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { roles } from '../contract.ts'

export function DeleteRole({ role, onClose, onDone }: { role: { id: string; name: string }; onClose: () => void; onDone: () => void }) {
  const query = useCall(roles.calls.dependants, { id: role.id })
  const remove = useSend(roles.calls.remove, { invalidates: ['users', 'home', 'audit'] })
  const { name } = role
  if (query.data?.blocks === false) {
    const { people } = query.data
    return (
      <ConfirmDialog
        opened
        onClose={onClose}
        title={t('Delete {name}?', { name })}
        consequence={
          people === 0
            ? t('Nobody has this role. It is gone for good.')
            : t('{count, plural, one {# person loses} other {# people lose}} it from the next request on. It is gone for good.', {
                count: people,
              })
        }
        action={t('Delete role')}
        keep={t('Keep role')}
        danger
        {...(people === 0 ? {} : { typeToConfirm: name })}
        onConfirm={async () => {
          await remove.run({ id: role.id, people })
          await refreshBootstrap()
          onDone()
        }}
      />
    )
  }
  return (
    <Modal opened onClose={onClose} title={t('{name} cannot be deleted yet', { name })}>
      <Loaded query={query}>
        {({ counts }) => (
          <Stack gap="md">
            <Text>{t('These name the role. Give them another one first:')}</Text>
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
