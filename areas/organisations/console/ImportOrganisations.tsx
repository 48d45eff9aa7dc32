import { Alert, Button, FileButton, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useState } from 'react'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { SelectField } from '#core/console/kit/fields.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { changed, useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { organisations } from '../contract.ts'
import { importColumns } from '../import-columns.ts'

type Prepared = OutputOf<typeof organisations.calls.prepareImport>
type Shown = OutputOf<typeof organisations.calls.readImport>

export function ImportOrganisations() {
  const [prepared, setPrepared] = useState<Prepared>()
  const [checking, setChecking] = useState(false)
  const again = () => {
    setPrepared(undefined)
    setChecking(false)
  }
  return (
    <Page title={t('Import organisations')} intro={t('From a CSV file with a column for the name. The own export comes back as it was.')}>
      {prepared === undefined ? (
        <ChooseFile onDone={setPrepared} />
      ) : checking ? (
        <Run importId={prepared.importId} onBack={() => setChecking(false)} onAgain={again} />
      ) : (
        <Columns prepared={prepared} onDone={() => setChecking(true)} onBack={again} />
      )}
    </Page>
  )
}

/** In base64, as the call takes it. */
const contentOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error ?? new Error('The file was not read'))
    reader.readAsDataURL(file)
  })

function ChooseFile({ onDone }: { onDone: (prepared: Prepared) => void }) {
  const prepare = useSend(organisations.calls.prepareImport)
  const take = async (file: File | null): Promise<void> => {
    if (file === null) return
    try {
      onDone(await prepare.run({ fileName: file.name, file: await contentOf(file) }))
    } catch {
      // It is told below.
    }
  }
  return (
    <Section
      title={t('File')}
      intro={t(
        'At most 10 MB. The columns above, type, country, business number, address, contact, note and id are read where there are any.',
      )}
    >
      <FaultAlert fault={prepare.fault} />
      <Group>
        <FileButton accept=".csv,.txt,text/csv" onChange={(file) => void take(file)}>
          {(props) => (
            <Button {...props} loading={prepare.pending} leftSection={<IconFileUpload size={16} stroke={1.8} aria-hidden />}>
              {t('Choose file')}
            </Button>
          )}
        </FileButton>
      </Group>
    </Section>
  )
}

function Columns({ prepared, onDone, onBack }: { prepared: Prepared; onDone: () => void; onBack: () => void }) {
  const [mapping, setMapping] = useState<Record<string, number>>(prepared.mapping)
  const check = useSend(organisations.calls.checkImport)
  const options = prepared.headers.map((header, at) => ({
    value: String(at),
    label: header === '' ? t('Column {number}', { number: at + 1 }) : header,
  }))
  return (
    <Section title={t('Columns')} intro={t('{rows, plural, one {# row was read} other {# rows were read}}', { rows: prepared.rows })}>
      <FaultAlert fault={check.fault} />
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {Object.entries(importColumns).map(([name, { label }]) => {
          const at = mapping[name]
          return (
            <SelectField
              key={name}
              name={`mapping.${name}`}
              label={t(label)}
              {...(at === undefined ? {} : { hint: t('Such as: {value}', { value: prepared.sample[0]?.[at] ?? '' }) })}
              value={at === undefined ? undefined : String(at)}
              options={options}
              onChange={(value) => {
                const { [name]: _, ...others } = mapping
                setMapping(value === undefined ? others : { ...others, [name]: Number(value) })
              }}
              onBlur={() => {}}
              error={undefined}
              clearable
            />
          )
        })}
      </SimpleGrid>
      <Group>
        <Button loading={check.pending} onClick={() => void check.run({ importId: prepared.importId, mapping }).then(onDone, () => {})}>
          {t('Check rows')}
        </Button>
        <Button variant="default" onClick={onBack}>
          {t('Choose another file')}
        </Button>
      </Group>
    </Section>
  )
}

const underWay: readonly Shown['status'][] = ['checking', 'running', 'undoing']

function Run({ importId, onBack, onAgain }: { importId: string; onBack: () => void; onAgain: () => void }) {
  const [working, setWorking] = useState(true)
  const query = useCall(organisations.calls.readImport, { importId }, working ? { refetchMilliseconds: 1_000 } : {})
  const status = query.data?.status
  if (status !== undefined && underWay.includes(status) !== working) {
    setWorking(!working)
    if (working) changed('organisations')
  }
  return <Loaded query={query}>{(shown) => <Outcome importId={importId} shown={shown} onBack={onBack} onAgain={onAgain} />}</Loaded>
}

function Outcome({ importId, shown, onBack, onAgain }: { importId: string; shown: Shown; onBack: () => void; onAgain: () => void }) {
  const start = useSend(organisations.calls.startImport)
  const undo = useSend(organisations.calls.undoImport)
  const cancel = useSend(organisations.calls.cancelImport)
  const { status, rows, position, fresh, changed: updated, same, faulty, failed } = shown
  return (
    <Stack gap="md">
      <Section title={titles()[status]}>
        <FaultAlert fault={start.fault ?? undo.fault ?? cancel.fault} />
        {underWay.includes(status) && (
          <Progress
            value={rows === 0 ? 100 : (100 * position) / rows}
            animated
            aria-label={t('{position} of {rows} rows', { position, rows })}
          />
        )}
        <Text role="status">
          {t('{fresh, number} new, {updated, number} changed, {same, number} as they were, {faulty, number} with faults', {
            fresh,
            updated,
            same,
            faulty: faulty + failed,
          })}
        </Text>
        {shown.undoUntil !== undefined && <Facts items={[{ label: t('Can be undone until'), value: <DateTime at={shown.undoUntil} /> }]} />}
        <Group>
          {status === 'checked' && shown.good > 0 && (
            <Button loading={start.pending} onClick={() => void start.run({ importId, skipFaulty: faulty > 0 }).catch(() => {})}>
              {faulty > 0 ? t('Import without the faulty rows') : t('Import all rows')}
            </Button>
          )}
          {status === 'running' && (
            <Button variant="default" onClick={() => void cancel.run({ importId }).catch(() => {})}>
              {t('Stop import')}
            </Button>
          )}
          {shown.undoUntil !== undefined && (
            <Button variant="light" color="red" loading={undo.pending} onClick={() => void undo.run({ importId }).catch(() => {})}>
              {t('Undo import')}
            </Button>
          )}
          {status === 'checked' && (
            <Button variant="default" onClick={onBack}>
              {t('Change columns')}
            </Button>
          )}
          {!underWay.includes(status) && (
            <Button variant="default" onClick={onAgain}>
              {t('Choose another file')}
            </Button>
          )}
        </Group>
      </Section>
      {shown.faults.length > 0 && (
        <Section title={t('Rows with faults')} intro={t('The first hundred. Mend them in the file, and choose it again.')}>
          <SmallTable
            label={t('Rows with faults')}
            rows={shown.faults}
            rowId={({ row, column, says }) => `${row} ${column} ${says}`}
            columns={[
              { label: t('Row'), cell: ({ row }) => row },
              { label: t('Column'), cell: ({ column }) => (column === '' ? '' : t(column)) },
              { label: t('Value'), cell: ({ value }) => value },
              { label: t('Fault'), cell: ({ says }) => t(says) },
            ]}
          />
        </Section>
      )}
      {status === 'checked' && shown.good === 0 && <Alert color="yellow">{t('No row can be imported')}</Alert>}
    </Stack>
  )
}

const titles = (): Record<Shown['status'], string> => ({
  uploaded: t('The file was read'),
  checking: t('Checking the rows'),
  checked: t('The rows were checked'),
  running: t('Importing'),
  done: t('The import has run'),
  undoing: t('Undoing the import'),
  undone: t('The import was undone'),
  cancelled: t('The import was stopped'),
})
