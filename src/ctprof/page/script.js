'use strict';
const empty=v=>v===''||v===undefined;
function compare(a,b,down){
 if(empty(a)||empty(b))return empty(a)-empty(b);
 const x=Number(a),y=Number(b);
 const order=Number.isNaN(x)||Number.isNaN(y)?(a<b?-1:a>b?1:0):x-y;
 return down?-order:order;
}
function sort(table,column,down){
 const body=table.tBodies[0],heads=table.tHead.rows[0].cells;
 const key=row=>{const c=row.cells[column];return c.dataset.v??c.textContent.toLowerCase()};
 const rows=Array.from(body.rows,(row,i)=>({row,i,key:key(row)}));
 rows.sort((a,b)=>compare(a.key,b.key,down)||a.i-b.i);
 for(const h of heads)h.removeAttribute('aria-sort');
 heads[column].setAttribute('aria-sort',down?'descending':'ascending');
 body.append(...rows.map(r=>r.row));
}
function remember(table,head,down){
 const p=new URLSearchParams(location.hash.slice(1));
 p.set('sort',[table.id,head.dataset.c,down?'desc':'asc'].join(':'));
 history.replaceState(null,'','#'+p);
}
for(const table of document.querySelectorAll('table'))
 for(const head of table.tHead.rows[0].cells)
  head.addEventListener('click',()=>{
   const was=head.getAttribute('aria-sort');
   const down=was?was!=='descending':head.classList.contains('num');
   sort(table,head.cellIndex,down);remember(table,head,down);
  });
const nav=document.querySelector('nav');
for(const section of document.querySelectorAll('section')){
 const title=section.querySelector('h2'),link=document.createElement('a');
 section.id='s-'+title.textContent.replace(/\W+/g,'-');
 link.href='#'+section.id;link.textContent=title.textContent;nav.append(link);
}
const box=document.getElementById('q'),hits=document.getElementById('hits');
const all=Array.from(document.querySelectorAll('tbody tr'),row=>({row,text:''}));
function filter(){
 const words=box.value.toLowerCase().split(/\s+/).filter(Boolean);
 let shown=0;
 for(const r of all){
  if(words.length&&!r.text)r.text=r.row.textContent.toLowerCase();
  const on=words.every(w=>r.text.includes(w));
  r.row.hidden=!on;shown+=on;
 }
 hits.textContent=words.length?shown+' of '+all.length+' rows':all.length+' rows';
}
let timer;
box.addEventListener('input',()=>{clearTimeout(timer);timer=setTimeout(filter,80)});
const start=new URLSearchParams(location.hash.slice(1));
if(start.has('q'))box.value=start.get('q');
if(start.has('sort')){
 const [id,column,way]=start.get('sort').split(':');
 const table=document.getElementById(id);
 const head=table&&Array.from(table.tHead?.rows[0].cells??[]).find(h=>h.dataset.c===column);
 if(head)sort(table,head.cellIndex,way==='desc');
}
filter();
