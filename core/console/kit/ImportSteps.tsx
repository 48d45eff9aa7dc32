// The steps of a staged import on one page: choose a file, say which column is which, see what the rows would do, run, undo. A room gives its calls and columns.

import { Alert, Button, FileButton, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import type { Area } from '#core/contract/area.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { ImportCalls } from '#core/contract/import-calls.ts'
import { changed, useCall, useSend } from '../queries.ts'
import { t } from '../text.ts'
import { confirm } from './confirm.tsx'
import { DateTime } from './DateTime.tsx'
import { SelectField } from './fields.tsx'
import { Facts, Section } from './Section.tsx'
import { SmallTable } from './SmallTable.tsx'
import { FaultAlert, Loaded } from './states.tsx'

type Prepared = OutputOf<ImportCalls['prepareImport']>
type Shown = OutputOf<ImportCalls['readImport']>

export type ImportStepsProps = {
  calls: ImportCalls
  columns: Readonly<Record<string, { label: string }>>
  /** What may stand in a file. */
  fileIntro: string
  /** Read anew once something has been done. */
  area: Area
  /** What the room asks besides the columns, and the fields for it. */
  options?: Readonly<Record<string, unknown>>
  optionFields?: ReactNode
  /** What those values are that are written otherwise than the file says them. */
  becomesTitle?: string
  /** More in the row of buttons where rows are faulty. */
  faultyRows?: (importId: string) => ReactNode
}

export function ImportSteps(props: ImportStepsProps) {
  const [prepared, setPrepared] = useState<Prepared>()
  const [checking, setChecking] = useState(false)
  const [opened, setOpened] = useState<string>()
  const again = () => {
    setPrepared(undefined)
    setChecking(false)
    setOpened(undefined)
  }
  if (opened !== undefined) return <Run {...props} importId={opened} onAgain={again} />
  if (prepared === undefined)
    return (
      <Stack gap="md">
        <ChooseFile {...props} onDone={setPrepared} />
        <Latest calls={props.calls} onOpen={setOpened} />
      </Stack>
    )
  if (checking) return <Run {...props} importId={prepared.importId} onBack={() => setChecking(false)} onAgain={again} />
  return <Columns {...props} prepared={prepared} onDone={() => setChecking(true)} onBack={again} />
}

/** In base64, as the call takes it. */
const contentOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error ?? new Error('The file was not read'))
    reader.readAsDataURL(file)
  })

function ChooseFile({ calls, fileIntro, onDone }: ImportStepsProps & { onDone: (prepared: Prepared) => void }) {
  const prepare = useSend(calls.prepareImport)
  const take = async (file: File | null): Promise<void> => {
    if (file === null) return
    try {
      onDone(await prepare.run({ fileName: file.name, file: await contentOf(file) }))
    } catch {
      // It is told below.
    }
  }
  return (
    <Section title={t('File')} intro={fileIntro}>
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

/** What was imported before, so that its result is found again and it can be undone. */
function Latest({ calls, onOpen }: Pick<ImportStepsProps, 'calls'> & { onOpen: (importId: string) => void }) {
  const query = useCall(calls.listImports, {})
  return (
    <Loaded query={query}>
      {(rows) =>
        rows.length === 0 ? null : (
          <Section title={t('Latest imports')} intro={t('Of the last two weeks. An import can be undone for 24 hours.')}>
            <SmallTable
              label={t('Latest imports')}
              rows={rows}
              rowId={({ importId }) => importId}
              columns={[
                {
                  label: t('File'),
                  cell: ({ importId, fileName }) => (
                    <Button variant="subtle" size="compact-sm" onClick={() => onOpen(importId)}>
                      <CutText>{fileName}</CutText>
                    </Button>
                  ),
                },
                { label: t('When'), cell: ({ at }) => <DateTime at={at} /> },
                { label: t('Who'), cell: ({ by }) => by },
                { label: t('Status'), cell: ({ status }) => titles()[status] },
                {
                  label: t('Result'),
                  cell: ({ applied, faulty }) => t('{applied, number} imported, {faulty, number} with faults', { applied, faulty }),
                },
                { label: t('Can be undone until'), cell: ({ undoUntil }) => <DateTime at={undoUntil} /> },
              ]}
            />
          </Section>
        )
      }
    </Loaded>
  )
}

const longestShown = 80

/** A long value shows its beginning; all of it stands in the title. */
function CutText({ children: text }: { children: string }) {
  return text.length <= longestShown ? text : <span title={text.slice(0, 1_000)}>{`${text.slice(0, longestShown)}…`}</span>
}

function Columns({
  calls,
  columns,
  options: chosen,
  optionFields,
  prepared,
  onDone,
  onBack,
}: ImportStepsProps & { prepared: Prepared; onDone: () => void; onBack: () => void }) {
  const [mapping, setMapping] = useState<Record<string, number>>(prepared.mapping)
  const check = useSend(calls.checkImport)
  const options = prepared.headers.map((header, at) => ({
    value: String(at),
    label: header === '' ? t('Column {number}', { number: at + 1 }) : header,
  }))
  return (
    <Section title={t('Columns')} intro={t('{rows, plural, one {# row was read} other {# rows were read}}', { rows: prepared.rows })}>
      <FaultAlert fault={check.fault} />
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {Object.entries(columns).map(([name, { label }]) => {
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
      {prepared.repeated.length > 0 && (
        <Text size="sm">{t('More than one column is called {names}: the first is taken', { names: prepared.repeated.join(', ') })}</Text>
      )}
      {optionFields}
      <Group>
        <Button
          loading={check.pending}
          onClick={() =>
            void check
              .run({ importId: prepared.importId, mapping, ...(chosen === undefined ? {} : { options: chosen }) })
              .then(onDone, () => {})
          }
        >
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

/** `onBack`: to the columns, where the file was chosen just now. */
type RunProps = ImportStepsProps & { importId: string; onBack?: () => void; onAgain: () => void }

function Run(props: RunProps) {
  const [working, setWorking] = useState(true)
  const { calls, area, importId } = props
  const query = useCall(calls.readImport, { importId }, working ? { refetchMilliseconds: 1_000 } : {})
  const status = query.data?.status
  if (status !== undefined && underWay.includes(status) !== working) {
    setWorking(!working)
    if (working) changed(area)
  }
  return <Loaded query={query}>{(shown) => <Outcome {...props} shown={shown} />}</Loaded>
}

function Outcome({ calls, importId, shown, onBack, onAgain, faultyRows, becomesTitle }: RunProps & { shown: Shown }) {
  const start = useSend(calls.startImport)
  const undo = useSend(calls.undoImport)
  const cancel = useSend(calls.cancelImport)
  const check = useSend(calls.checkImport)
  const { status, rows, position, fresh, changed: updated, same, faulty, failed } = shown
  // An undo goes backwards.
  const done = status === 'undoing' ? rows - position : position
  const takeBack = async (): Promise<void> => {
    const yes = await confirm({
      title: t('Undo this import?'),
      consequence: t('What it made is deleted, and what it changed is as before. What has been used or edited since stays.'),
      action: t('Undo import'),
      keep: t('Keep it'),
      danger: true,
    })
    if (yes) await undo.run({ importId }).catch(() => {})
  }
  return (
    <Stack gap="md">
      <Section title={titles()[status]}>
        <FaultAlert fault={start.fault ?? undo.fault ?? cancel.fault ?? check.fault} />
        {shown.stopped !== undefined && <Alert color="yellow">{t(shown.stopped)}</Alert>}
        {underWay.includes(status) && (
          <>
            <Progress
              value={rows === 0 ? 100 : (100 * done) / rows}
              animated
              aria-label={t('{position} of {rows} rows', { position: done, rows })}
            />
            <Text size="sm">{t('{position} of {rows} rows', { position: done, rows })}</Text>
          </>
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
          {(status === 'uploaded' || (status === 'checked' && !shown.own)) && (
            <Button loading={check.pending} onClick={() => void check.run({ importId }).catch(() => {})}>
              {t('Check rows')}
            </Button>
          )}
          {status === 'checked' && shown.own && shown.good > 0 && (
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
            <Button variant="light" color="red" loading={undo.pending} onClick={() => void takeBack()}>
              {t('Undo import')}
            </Button>
          )}
          {status === 'checked' && onBack !== undefined && (
            <Button variant="default" onClick={onBack}>
              {t('Change columns')}
            </Button>
          )}
          {shown.faults.length > 0 && !underWay.includes(status) && faultyRows?.(importId)}
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
              { label: t('Value'), cell: ({ value }) => <CutText>{value}</CutText> },
              { label: t('Fault'), cell: ({ says }) => t(says) },
            ]}
          />
        </Section>
      )}
      {shown.becomes.length > 0 && becomesTitle !== undefined && (
        <Section title={becomesTitle} intro={t('Of the first hundred rows: what is made otherwise than the file says it.')}>
          <SmallTable
            label={becomesTitle}
            rows={shown.becomes}
            rowId={({ row }) => String(row)}
            columns={[
              { label: t('Row'), cell: ({ row }) => row },
              { label: t('In the file'), cell: ({ value }) => <CutText>{value}</CutText> },
              { label: t('Becomes'), cell: ({ becomes }) => becomes },
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
