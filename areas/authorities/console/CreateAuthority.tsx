// Making an authority: the kind first, then its name, key and life, with the certificate that would come out beside the form.

import { Grid, Group, SimpleGrid, Stack } from '@mantine/core'
import { useNavigate, useSearchParams } from 'react-router'
import type { KeyAlgorithm } from '#areas/keys/rules.ts'
import { NumberField, RadioField, SelectField, TextField } from '#core/console/kit/fields.tsx'
import { Fold } from '#core/console/kit/Fold.tsx'
import { FormSection, LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { useAuthoritySearch } from '../authority-search.tsx'
import { authorities } from '../contract.ts'
import { madeKinds, defaultYears, subjectFields, validityUnits, type MadeKind, type SubjectField, type ValidityUnit } from '../rules.ts'
import { AuthorityPreview } from './AuthorityPreview.tsx'
import { KeyPlaceFields } from './KeyPlaceFields.tsx'
import { NameConstraintFields, type Constraint } from './NameConstraintFields.tsx'
import { authorityPath, listPath } from './paths.ts'

type Values = {
  kind: MadeKind
  friendlyName: string
  subject: Record<SubjectField, string>
  keyAlgorithm: KeyAlgorithm
  /** Empty: in the database. */
  tokenId: string
  /** Empty: a new one. */
  tokenKeyId: string
  issuerId: string | undefined
  offlineId: string | undefined
  validityPeriod: number | undefined
  validityPeriodUnits: ValidityUnit
  pathLength: string
  permittedNames: Constraint[]
  excludedNames: Constraint[]
}

/** What does not belong to the chosen kind is left out; the common name serves where no other name is given. */
function draftOf(values: Values): DraftOf<typeof authorities.calls.create> {
  const {
    kind,
    friendlyName,
    subject,
    keyAlgorithm,
    tokenId,
    tokenKeyId,
    issuerId,
    validityPeriod,
    validityPeriodUnits,
    pathLength,
    permittedNames,
    excludedNames,
  } = values
  return {
    kind,
    // Without either, only the common name is missed.
    friendlyName: friendlyName.trim() || subject.CN.trim() || '-',
    subject,
    keyAlgorithm,
    ...(tokenId === '' ? {} : { tokenId, ...(tokenKeyId === '' ? {} : { tokenKeyId }) }),
    pathLength: pathLength === 'none' ? 'none' : Number(pathLength),
    ...(kind !== 'root' && issuerId !== undefined && issuerId !== '' ? { issuerId } : {}),
    ...(kind === 'outside'
      ? {}
      : { permittedNames, excludedNames, ...(validityPeriod === undefined ? {} : { validityPeriod, validityPeriodUnits }) }),
  }
}

const kindTexts: Record<MadeKind, { label: string; hint: string }> = {
  root: { label: 'A root', hint: 'Signs itself. Relying parties are told to trust it.' },
  subordinate: {
    label: 'Below an authority here',
    hint: 'Signed at once by an authority of this tenancy. This is what issues day by day.',
  },
  outside: { label: 'Below an outside authority', hint: 'You take a request to that authority and bring back the certificate.' },
}
/** In the order in which people think of them; the certificate writes them from the country down. */
const otherNames = ['OU', 'L', 'ST', 'C'] as const
const nameLabels = Object.fromEntries(subjectFields.map((field) => [field.name, field])) as Record<
  SubjectField,
  (typeof subjectFields)[number]
>

const hintOf = (name: SubjectField) => (nameLabels[name].hint === '' ? {} : { hint: t(nameLabels[name].hint) })

const moreOfName = (subject: Values['subject']): string =>
  otherNames.flatMap((name) => (subject[name].trim() === '' ? [] : [`${name}=${subject[name].trim()}`])).join(', ') || t('Nothing')

const unitTexts: Record<ValidityUnit, string> = { HOURS: 'Hours', DAYS: 'Days', MONTHS: 'Months', YEARS: 'Years' }

const pathLengthFor = (kind: MadeKind): string => (kind === 'root' ? 'none' : '0')

export function CreateAuthority() {
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const issuers = useCall(authorities.calls.list, { status: 'ActiveCert', size: 200 })
  const kind = madeKinds.find((name) => name === search.get('kind')) ?? 'root'
  const asked = search.get('issuer') ?? undefined
  const signers = (issuers.data?.rows ?? []).filter((row) => row.kind !== 'offline')
  const offline = (issuers.data?.rows ?? []).filter((row) => row.kind === 'offline')
  const answering = useAuthoritySearch(offline, { status: 'ActiveCert', fits: (row) => row.kind === 'offline' })
  const signing = useAuthoritySearch(signers, { status: 'ActiveCert', fits: (row) => row.kind !== 'offline' })
  const only = signers.length === 1 ? signers[0]?.id : undefined
  const askedOffline = offline.some(({ id }) => id === asked) ? asked : undefined
  /** Each kind has a field of its own: who is chosen for one is not meant for the other. */
  const issuerOf = ({ kind: wanted, issuerId, offlineId }: Values): string | undefined =>
    wanted === 'subordinate' ? (issuerId ?? (askedOffline === undefined ? asked : undefined) ?? only) : (offlineId ?? askedOffline)
  const initial: Values = {
    kind,
    friendlyName: '',
    subject: { C: '', ST: '', L: '', O: '', OU: '', CN: '' },
    keyAlgorithm: 'P-256',
    tokenId: '',
    tokenKeyId: '',
    issuerId: undefined,
    offlineId: undefined,
    validityPeriod: defaultYears[kind],
    validityPeriodUnits: 'YEARS',
    pathLength: pathLengthFor(kind),
    permittedNames: [],
    excludedNames: [],
  }
  return (
    <Page title={t('New authority')}>
      <LongForm
        call={authorities.calls.create}
        initial={initial}
        toInput={(values: Values) => draftOf({ ...values, issuerId: issuerOf(values) })}
        submit={t('Create authority')}
        cancel={{ label: t('Cancel'), to: listPath() }}
        onDone={({ caId }) => navigate(authorityPath(caId))}
      >
        {(form) => (
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, lg: 7 }}>
              <Stack gap="md">
                <FormSection title={t('Kind')}>
                  <RadioField
                    {...form.field('kind')}
                    onChange={(picked) =>
                      picked !== undefined &&
                      form.setAll({
                        kind: picked,
                        validityPeriod: defaultYears[picked],
                        validityPeriodUnits: 'YEARS',
                        pathLength: pathLengthFor(picked),
                      })
                    }
                    label={t('What do you want to create?')}
                    options={madeKinds.map((value) => ({ value, label: t(kindTexts[value].label), hint: t(kindTexts[value].hint) }))}
                  />
                  {form.values.kind === 'subordinate' && (
                    <SelectField
                      {...form.field('issuerId')}
                      value={issuerOf(form.values)}
                      label={t('Signed by')}
                      required
                      {...signing}
                      {...(issuers.data !== undefined && signers.length === 0
                        ? { hint: t('There is no active authority yet: create a root first.') }
                        : {})}
                    />
                  )}
                  {form.values.kind === 'outside' && offline.length > 0 && (
                    <SelectField
                      {...form.field('offlineId')}
                      error={form.error('issuerId')}
                      value={issuerOf(form.values) ?? ''}
                      label={t('Signed by')}
                      hint={t('An offline authority signs the request where its key is. Its answer is held against the request.')}
                      {...answering}
                      options={[{ value: '', label: t('An authority of somebody else') }, ...answering.options]}
                    />
                  )}
                </FormSection>
                <FormSection title={t('Name')} intro={t('This is what people read in a certificate. It cannot be changed later.')}>
                  <TextField {...form.field('subject.CN')} label={t(nameLabels.CN.label)} hint={t(nameLabels.CN.hint)} required />
                  <TextField {...form.field('subject.O')} label={t(nameLabels.O.label)} {...hintOf('O')} />
                  <Fold label={t('More of the name')} says={moreOfName(form.values.subject)}>
                    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
                      {otherNames.map((name) => (
                        <TextField key={name} {...form.field(`subject.${name}`)} label={t(nameLabels[name].label)} {...hintOf(name)} />
                      ))}
                    </SimpleGrid>
                  </Fold>
                  <TextField
                    {...form.field('friendlyName')}
                    label={t('Name in Chancery')}
                    hint={t('Shown in lists, and can be changed. Left empty, it is the common name.')}
                  />
                </FormSection>
                <FormSection title={t('Key and lifetime')}>
                  <KeyPlaceFields
                    tokenField={form.field('tokenId')}
                    keyField={form.field('tokenKeyId')}
                    algorithmField={form.field('keyAlgorithm')}
                    onChange={(place) => form.setAll(place)}
                  />
                  {form.values.kind !== 'outside' && (
                    <Group align="flex-start" gap="sm" grow>
                      <NumberField {...form.field('validityPeriod')} label={t('Valid for')} min={1} />
                      <SelectField
                        {...form.field('validityPeriodUnits')}
                        label={t('Unit')}
                        options={validityUnits.map((value) => ({ value, label: t(unitTexts[value]) }))}
                      />
                    </Group>
                  )}
                  <SelectField
                    {...form.field('pathLength')}
                    label={t('Authorities below it')}
                    hint={t('How many levels of authorities may stand below this one (path length).')}
                    options={[
                      { value: '0', label: t('None: it issues certificates only') },
                      { value: '1', label: t('One level') },
                      { value: '2', label: t('Two levels') },
                      { value: '3', label: t('Three levels') },
                      { value: 'none', label: t('Any number of levels') },
                    ]}
                  />
                </FormSection>
                {form.values.kind !== 'outside' && (
                  <FormSection
                    title={t('Name constraints')}
                    intro={t('Limits the names that certificates below this authority may carry. Leave it empty for no limit.')}
                    folded={t('{count, plural, =0 {No limit} one {One limit} other {# limits}}', {
                      count: form.values.permittedNames.length + form.values.excludedNames.length,
                    })}
                  >
                    <NameConstraintFields form={form} />
                  </FormSection>
                )}
              </Stack>
            </Grid.Col>
            <Grid.Col span={{ base: 12, lg: 5 }}>
              <AuthorityPreview draft={draftOf({ ...form.values, issuerId: issuerOf(form.values) })} />
            </Grid.Col>
          </Grid>
        )}
      </LongForm>
    </Page>
  )
}
