/** Published signatures of wallet_c: of client `client_1` with API key `apikey_1` for merchant `MRC100`. */
export const vectors = {
  session: 'uIanrA2dAR00rmJRV4+oLe6ehKJEwiKMOrqkNDcRdZxewXA5GZ2yCkuwi+7NkIEUxrVu1nPk7lISSw4hHGu/kw==',
  form: 'YS5rkoMFMD/mndvmZQvtRHUDni3FCN175pE0/dEgwT28XlDDOwW1Z9a63sRjxF6BBk87jjdZuQnkWRrdysWBkA==',
  transaction: 'n+fa/4BznNscmt3ILgwxN6aju6FRvKc5KERtjC9kRlxrZvwQ+RJCvPBmCaQHBvdsNFVzcYLwavZb50NUHL7p+w==',
  /** The amount as `100`, and as `100.00`. */
  webhook: 'yQW5LZYcbRNCL3IEBPREa0qA50fcVk0SIWf+rOWEGIFaMwYP3zPgixOhJOFEkpkwsJdwbEV1Ohs06CwZ9dATjg==',
  webhookDecimals: 'vMNC9MudXcnOmlOkasmuXDycDbmCCXSTYsqnh2/tKKpbllw2INEOvlNgDBvb4+IPwqbqG2GlMfE/rwTGz+4ZEg==',
} as const;
