import { Button } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useParams } from 'react-router'
import { confirm } from '#core/console/kit/confirm.tsx'
import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { goTo } from '#core/console/navigate.ts'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { directories } from '../contract.ts'
import { dnFaults } from '../dn.ts'
import { DirectoryFields, wholeMapping, type Values } from './DirectoryFields.tsx'
import { TryDirectory } from './TryDirectory.tsx'

export function EditDirectory() {
  const { id = '' } = useParams()
  const query = useCall(directories.calls.read, { id })
  return (
    <Page
      title={query.data === undefined ? t('Edit directory') : t('Edit {name}', { name: query.data.name })}
      actions={query.data === undefined ? undefined : <RemoveDirectory id={id} name={query.data.name} />}
    >
      <Loaded query={query}>
        {({ version, groupRoles, mapping, ...directory }) => (
          <LongForm
            key={version}
            call={directories.calls.change}
            initial={{
              ...directory,
              password: '',
              mapping: wholeMapping(mapping),
              groupRoles: groupRoles.map(({ group, roleId }) => ({ group, roleId })),
            }}
            toInput={({ password, ...values }: Values) => ({ id, version, ...values, ...(password === '' ? {} : { password }) })}
            check={dnFaults}
            submit={t('Save directory')}
            cancel={{ label: t('Cancel'), to: to(directories.screens.sync) }}
            onDone={() => goTo(to(directories.screens.sync))}
          >
            {(form) => (
              <>
                <DirectoryFields form={form} kept held={groupRoles.map(({ roleId, role }) => ({ id: roleId, name: role }))} />
                <TryDirectory id={id} values={form.values} />
              </>
            )}
          </LongForm>
        )}
      </Loaded>
    </Page>
  )
}

function RemoveDirectory({ id, name }: { id: string; name: string }) {
  const removal = useSend(directories.calls.remove)
  const remove = async (): Promise<void> => {
    const yes = await confirm({
      title: t('Remove {name}?', { name }),
      consequence: t('Its plans are gone. The people who came from it stay as they are, and no directory changes them any more.'),
      action: t('Remove directory'),
      keep: t('Keep directory'),
      danger: true,
    })
    if (yes)
      await removal.run({ id }).then(
        () => goTo(to(directories.screens.sync)),
        (error: unknown) => toastFault(error, t('The directory was not removed')),
      )
  }
  return (
    <Button
      variant="light"
      color="red"
      loading={removal.pending}
      leftSection={<IconTrash size={16} stroke={1.8} aria-hidden />}
      onClick={() => void remove()}
    >
      {t('Remove directory')}
    </Button>
  )
}
