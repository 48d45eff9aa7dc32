import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlugConnected, IconTrash } from '@tabler/icons-react'
import { useParams } from 'react-router'
import { confirm } from '#core/console/kit/confirm.tsx'
import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { goTo } from '#core/console/navigate.ts'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { directories } from '../contract.ts'
import { DirectoryFields, wholeMapping, type Values } from './DirectoryFields.tsx'

export function EditDirectory() {
  const { id = '' } = useParams()
  const query = useCall(directories.calls.read, { id })
  return (
    <Page title={query.data === undefined ? t('Edit directory') : t('Edit {name}', { name: query.data.name })}>
      <Loaded query={query}>
        {({ version, groupRoles, mapping, ...directory }) => (
          <Stack gap="md">
            <TestSection id={id} name={directory.name} />
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
              submit={t('Save directory')}
              cancel={{ label: t('Cancel'), to: to(directories.screens.sync) }}
              onDone={() => goTo(to(directories.screens.sync))}
            >
              {(form) => <DirectoryFields form={form} kept held={groupRoles.map(({ roleId, role }) => ({ id: roleId, name: role }))} />}
            </LongForm>
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}

function TestSection({ id, name }: { id: string; name: string }) {
  const test = useSend(directories.calls.test)
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
        () => {},
      )
  }
  return (
    <Section title={t('Connection')} intro={t('The test signs in as it was saved and reads the first people. It changes nothing.')}>
      <FaultAlert fault={test.fault ?? removal.fault} />
      <Group gap="xs">
        <Button
          variant="default"
          loading={test.pending}
          leftSection={<IconPlugConnected size={16} stroke={1.8} aria-hidden />}
          onClick={() => void test.run({ id }).catch(() => {})}
        >
          {t('Test')}
        </Button>
        <Button
          variant="light"
          color="red"
          loading={removal.pending}
          leftSection={<IconTrash size={16} stroke={1.8} aria-hidden />}
          onClick={() => void remove()}
        >
          {t('Remove directory')}
        </Button>
      </Group>
      {test.answer !== undefined &&
        (test.answer.people.length === 0 ? (
          <Text size="sm" role="status">
            {t('The directory answered, and nobody was found')}
          </Text>
        ) : (
          <SmallTable
            label={t('The first people')}
            rows={test.answer.people}
            rowId={({ dn }) => dn}
            columns={[
              { label: t('Name'), cell: (row) => row.name },
              { label: t('E-mail address'), cell: (row) => row.emailAddress },
              { label: t('Distinguished name'), cell: (row) => row.dn },
            ]}
          />
        ))}
    </Section>
  )
}
