/** Drawings of the dashboard in addition to those of all pages: paths only, in the style of ../glyphs.ts. */
export const ownGlyphs = {
  till:
    '<path d="M4 10.5h16v9a1.5 1.5 0 01-1.5 1.5h-13A1.5 1.5 0 014 19.5z"/>' +
    '<path d="M7 10.5V4h10v6.5M10 7h4M10 15.5h4"/>',
  turn: '<path d="M20 12a8 8 0 11-2.6-5.9M20.5 3v4h-4"/>',
  back: '<path d="M9 7L4.5 11.5 9 16"/><path d="M5 11.5h9a5 5 0 010 10h-2"/>',
  menu: '<path d="M4 7h16M4 12h16M4 17h16"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  link:
    '<path d="M10 14a4 4 0 006 .4l3-3a4 4 0 00-5.7-5.7l-1.5 1.5"/>' +
    '<path d="M14 10a4 4 0 00-6-.4l-3 3a4 4 0 005.7 5.7l1.5-1.5"/>',
  search: '<circle cx="11" cy="11" r="6.5"/><path d="M16 16l4.5 4.5"/>',
  copy:
    '<rect x="9" y="9" width="11" height="11" rx="2.5"/>' +
    '<path d="M15 5.5A1.5 1.5 0 0013.5 4h-8A1.5 1.5 0 004 5.5v8A1.5 1.5 0 005.5 15"/>',
  person: '<circle cx="12" cy="8.5" r="4"/><path d="M4.5 20.5c1-4 4-6 7.5-6s6.5 2 7.5 6"/>',
  send: '<path d="M20.5 3.5L10 14M20.5 3.5L14 20.5 10 14 3.5 10z"/>',
  call: '<path d="M4 9h13l-3.5-3.5M20 15H7l3.5 3.5"/>',
  save: '<path d="M12 4v11M7 10.5l5 5 5-5M5 20h14"/>',
  flag: '<path d="M6 21V4M6 5h11l-2.5 3.5L17 12H6"/>',
  arrive: '<path d="M14 4h4.5A1.5 1.5 0 0120 5.5v13a1.5 1.5 0 01-1.5 1.5H14M4 12h11M11 8l4 4-4 4"/>',
} as const;
