import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { goTo } from '#core/console/navigate.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { directories } from '../contract.ts'
import { dnFaults } from '../dn.ts'
import { DirectoryFields, emptyDirectory, type Values } from './DirectoryFields.tsx'
import { TryDirectory } from './TryDirectory.tsx'

export function AddDirectory() {
  return (
    <Page title={t('New directory')} intro={t('Nothing is read from it before you test it or plan a sync.')}>
      <LongForm
        call={directories.calls.add}
        initial={emptyDirectory}
        toInput={(values: Values) => values}
        check={dnFaults}
        submit={t('Add directory')}
        cancel={{ label: t('Cancel'), to: to(directories.screens.sync) }}
        onDone={({ id }) => goTo(to(directories.screens.edit, { id }))}
      >
        {(form) => (
          <>
            <DirectoryFields form={form} />
            <TryDirectory values={form.values} />
          </>
        )}
      </LongForm>
    </Page>
  )
}
